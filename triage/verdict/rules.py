"""The rules: one total table from difference and ground to finding, and the conclusion of a run."""

from collections.abc import Iterable
from enum import StrEnum

from triage.terms import Conclusion, Difference, FindingKind

# Stored with every verdict. A change that would alter a past verdict takes the next number.
RULES_VERSION = 1


class Ground(StrEnum):
    """What the evidence says of a failing result."""

    WITHIN = "within"  # the budget pays for it
    SPENT = "spent"  # the budget would have to pay, and cannot
    MOVED = "moved"  # the history does not explain it: evidence past the limit
    CLEARED = "cleared"  # the second pass settled it in favour of what was expected
    REPEAT = "repeat"  # the second pass has not run, or not to its end
    OPEN = "open"  # the second pass cannot settle it: a person decides
    INHERITED = "inherited"  # the base fails in the same way
    MUTED = "muted"  # a person answers for the case's wording, until a day


_PAID = {
    Ground.WITHIN: FindingKind.EXPECTED_FLAKE,
    Ground.SPENT: FindingKind.OVER_BUDGET,
    Ground.MOVED: FindingKind.REGRESSION,
    Ground.CLEARED: FindingKind.EXPECTED_FLAKE,
    Ground.REPEAT: FindingKind.UNDECIDED,
    Ground.OPEN: FindingKind.UNDECIDED,
    Ground.INHERITED: FindingKind.INHERITED,
    # A mute is for wording alone; what else differs under one is as open as without it.
    Ground.MUTED: FindingKind.UNDECIDED,
}

# The one table that decides. A row per difference, a column per ground, no cell left out.
FINDINGS: dict[Difference, dict[Ground, FindingKind]] = {
    Difference.TEXT: {**_PAID, Ground.MUTED: FindingKind.MUTED},
    Difference.INVALID: _PAID,
    Difference.UNKNOWN: _PAID,
    # The flake belongs in the budget. The label flip does not: whatever a budget says of a flip,
    # it is a near tie at best until its second pass or a person has settled it.
    Difference.LABEL: {
        Ground.WITHIN: FindingKind.NEAR_TIE,
        Ground.SPENT: FindingKind.NEAR_TIE,
        Ground.MOVED: FindingKind.LABEL_REGRESSION,
        Ground.CLEARED: FindingKind.SETTLED_TIE,
        Ground.REPEAT: FindingKind.NEAR_TIE,
        Ground.OPEN: FindingKind.NEAR_TIE,
        Ground.INHERITED: FindingKind.INHERITED,
        Ground.MUTED: FindingKind.NEAR_TIE,
    },
    # A crash is no wording either: no budget pays for it, only its own repeats clear it.
    Difference.CRASH: {
        **_PAID,
        Ground.WITHIN: FindingKind.UNDECIDED,
        Ground.SPENT: FindingKind.UNDECIDED,
    },
    Difference.PROVIDER: dict.fromkeys(Ground, FindingKind.PROVIDER_ERROR),
}

CHARGED = frozenset({FindingKind.EXPECTED_FLAKE, FindingKind.OVER_BUDGET, FindingKind.MUTED})
CHARGEABLE = frozenset({Difference.TEXT, Difference.INVALID, Difference.UNKNOWN})

BLOCKING = frozenset(
    {FindingKind.LABEL_REGRESSION, FindingKind.REGRESSION, FindingKind.OVER_BUDGET}
)
HOLDING = frozenset({FindingKind.NEAR_TIE, FindingKind.UNDECIDED})
# Grounds that a mute takes the place of. What is proven, or the base's, stays what it is.
MUTABLE = frozenset({Ground.SPENT, Ground.REPEAT, Ground.OPEN})
PROVEN = frozenset({FindingKind.LABEL_REGRESSION, FindingKind.REGRESSION})

# Worst first: the order of every list of findings.
SEVERITY = (
    FindingKind.LABEL_REGRESSION,
    FindingKind.REGRESSION,
    FindingKind.OVER_BUDGET,
    FindingKind.NEAR_TIE,
    FindingKind.UNDECIDED,
    FindingKind.PROVIDER_ERROR,
    FindingKind.MUTED,
    FindingKind.SETTLED_TIE,
    FindingKind.EXPECTED_FLAKE,
    FindingKind.INHERITED,
)

EXIT_CODES = {
    Conclusion.BLOCKED: 1,
    Conclusion.ON_HOLD: 3,
    Conclusion.PROVISIONAL: 0,
    Conclusion.PASSED_WITH_FLAKES: 0,
    Conclusion.PASSED: 0,
    # A run without a single test proves nothing, so it is no pass.
    Conclusion.NO_RESULTS: 3,
}


def find(difference: Difference, ground: Ground) -> FindingKind:
    """Return the finding for what differs on this ground."""
    return FINDINGS[difference][ground]


def is_charged(kind: FindingKind, difference: Difference) -> bool:
    """Whether the budget pays for a finding. It never pays for a flip, a crash or a provider."""
    return kind in CHARGED and difference in CHARGEABLE


def conclude(
    kinds: Iterable[FindingKind],
    *,
    has_cases: bool,
    is_incomplete: bool,
    parts_are_missing: bool,
    holding: frozenset[FindingKind] = HOLDING,
    some_are_allowed: bool = False,
) -> Conclusion:
    """Return the conclusion of a run: its worst finding, then what is not known of it yet.

    A report that was cut off holds: the cases it lost may have failed. ``holding`` is what a
    policy lets hold; a near tie always does. ``some_are_allowed`` says that there are cases over
    budget beside these that a person let pass.
    """
    found = set(kinds)
    if found & BLOCKING:
        return Conclusion.BLOCKED
    if found & (holding | {FindingKind.NEAR_TIE}) or is_incomplete:
        return Conclusion.ON_HOLD
    if parts_are_missing:
        return Conclusion.PROVISIONAL
    if not has_cases:
        return Conclusion.NO_RESULTS
    return Conclusion.PASSED_WITH_FLAKES if found or some_are_allowed else Conclusion.PASSED
