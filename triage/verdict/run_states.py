"""How every case stood in a run: its outcome per leg, and what is kept where it did not just pass.

Attempts up to the run's own are taken together, as a verdict takes them.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Prefetch

from triage.classify.calls import WORST_FIRST
from triage.models import Observation, Result, Run
from triage.models.vectors import Code, Codes
from triage.terms import Difference
from triage.verdict.questions import CiRun, attempts_of, has_failed

FAILING_CODES = frozenset({Code.FAILED, Code.ERRORED})
Flips = frozenset[tuple[str | None, str | None]]


@dataclass(frozen=True, slots=True)
class KeptResult:
    """What the rows of a case tell of one leg, over all its attempts."""

    case_id: int
    slot: int
    title: str
    leg: str
    # Whether it failed at least once: a retry that passed does not undo that.
    has_failed: bool
    difference: Difference | None
    flips: Flips
    signature: str
    message: str
    result_id: int

    @property
    def is_failing(self) -> bool:
        """Whether it did not do what it should have done; a flip in a test that passed counts."""
        return self.has_failed or bool(self.flips)

    def is_same_as(self, other: "KeptResult") -> bool:
        """Whether both differ in the same way: in labels by the pairs, else by the signature."""
        if self.difference != other.difference:
            return False
        if self.difference is Difference.LABEL:
            return self.flips == other.flips
        return self.signature == other.signature


@dataclass(frozen=True, slots=True)
class RunState:
    """The cases of a run: outcome codes per leg, and what is kept by leg and slot."""

    attempts: Sequence[Run]
    codes: Mapping[str, Codes]
    kept: Mapping[tuple[str, int], KeptResult]

    def code(self, leg: str, slot: int) -> Code:
        """Return how a case ended in a leg."""
        codes = self.codes.get(leg)
        return Code(int(codes[slot])) if codes is not None and slot < len(codes) else Code.ABSENT


def run_state(run: Run) -> RunState:
    """Read how the cases of a run stood; four queries."""
    ci_run = _up_to(run, attempts_of(run))
    return RunState(ci_run.attempts, ci_run.outcomes_by_part(), _kept(ci_run))


def _up_to(run: Run, ci_run: CiRun) -> CiRun:
    attempts = tuple(each for each in ci_run.attempts if each.attempt <= run.attempt)
    ids = {each.pk for each in attempts}
    return CiRun(attempts, tuple(part for part in ci_run.parts if part.run_id in ids))


def _kept(ci_run: CiRun) -> dict[tuple[str, int], KeptResult]:
    flips = Prefetch(
        "observations",
        Observation.objects.filter(difference=Difference.LABEL).only(
            "result_id", "expected", "observed"
        ),
    )
    results = (
        Result.objects.filter(run__in=ci_run.attempts)
        .select_related("case", "part")
        .prefetch_related(flips)
        .only(
            *("outcome", "merge", "difference", "message", "signature"),
            *("case__slot", "case__title", "part__name"),
        )
        .order_by("run__attempt", "pk")
    )
    grouped: dict[tuple[str, int], list[Result]] = defaultdict(list)
    for each in results:
        grouped[each.part.name, each.case.slot].append(each)
    return {place: _kept_result(place[0], group) for place, group in grouped.items()}


def _kept_result(leg: str, results: Sequence[Result]) -> KeptResult:
    failed = [each for each in results if has_failed(each)]
    shown = (failed or results)[-1]
    flips = [call for each in results for call in each.observations.all()]
    present = {Difference(each.difference) for each in results if each.difference}
    return KeptResult(
        case_id=shown.case_id,
        slot=shown.case.slot,
        title=shown.case.title,
        leg=leg,
        has_failed=bool(failed),
        difference=next((each for each in WORST_FIRST if each in present), None),
        flips=frozenset((call.expected, call.observed) for call in flips),
        signature=shown.signature,
        message=shown.message,
        result_id=shown.pk,
    )
