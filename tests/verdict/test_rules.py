"""The table that decides, read as a whole."""

import itertools

import pytest

from triage.terms import Conclusion, Difference, FindingKind
from triage.verdict.rules import (
    EXIT_CODES,
    FINDINGS,
    SEVERITY,
    Ground,
    conclude,
    find,
    is_charged,
)

EVERY_CELL = list(itertools.product(Difference, Ground))


def test_the_table_has_a_finding_for_every_difference_on_every_ground() -> None:
    assert {(d, g) for d, row in FINDINGS.items() for g in row} == set(EVERY_CELL)


@pytest.mark.parametrize("ground", Ground)
def test_a_label_flip_is_never_an_expected_flake(ground: Ground) -> None:
    flake_kinds = {FindingKind.EXPECTED_FLAKE, FindingKind.OVER_BUDGET}

    assert find(Difference.LABEL, ground) not in flake_kinds


@pytest.mark.parametrize(("difference", "ground"), EVERY_CELL)
def test_only_wording_is_ever_charged(difference: Difference, ground: Ground) -> None:
    charged = is_charged(find(difference, ground), difference)

    assert not charged or difference in {Difference.TEXT, Difference.INVALID, Difference.UNKNOWN}


@pytest.mark.parametrize("kind", FindingKind)
def test_a_flip_is_never_charged_whatever_it_was_found_to_be(kind: FindingKind) -> None:
    assert not is_charged(kind, Difference.LABEL)


@pytest.mark.parametrize("difference", [each for each in Difference if each != Difference.TEXT])
def test_a_mute_excuses_nothing_but_wording(difference: Difference) -> None:
    assert FindingKind.MUTED not in FINDINGS[difference].values()
    assert FINDINGS[difference][Ground.MUTED] is FINDINGS[difference][Ground.REPEAT]


@pytest.mark.parametrize(
    "ground", [Ground.WITHIN, Ground.SPENT, Ground.REPEAT, Ground.OPEN, Ground.MUTED]
)
def test_an_unsettled_flip_holds_the_run(ground: Ground) -> None:
    assert _conclude(find(Difference.LABEL, ground)) is Conclusion.ON_HOLD


@pytest.mark.parametrize("ground", Ground)
def test_a_provider_error_is_no_verdict_on_the_model(ground: Ground) -> None:
    assert find(Difference.PROVIDER, ground) is FindingKind.PROVIDER_ERROR


@pytest.mark.parametrize(
    ("kinds", "conclusion"),
    [
        ([], Conclusion.PASSED),
        ([FindingKind.EXPECTED_FLAKE], Conclusion.PASSED_WITH_FLAKES),
        ([FindingKind.SETTLED_TIE], Conclusion.PASSED_WITH_FLAKES),
        ([FindingKind.INHERITED], Conclusion.PASSED_WITH_FLAKES),
        ([FindingKind.MUTED], Conclusion.PASSED_WITH_FLAKES),
        ([FindingKind.PROVIDER_ERROR], Conclusion.PASSED_WITH_FLAKES),
        ([FindingKind.UNDECIDED], Conclusion.ON_HOLD),
        ([FindingKind.NEAR_TIE, FindingKind.EXPECTED_FLAKE], Conclusion.ON_HOLD),
        ([FindingKind.OVER_BUDGET], Conclusion.BLOCKED),
        ([FindingKind.NEAR_TIE, FindingKind.LABEL_REGRESSION], Conclusion.BLOCKED),
        ([FindingKind.REGRESSION], Conclusion.BLOCKED),
    ],
)
def test_the_worst_finding_decides(kinds: list[FindingKind], conclusion: Conclusion) -> None:
    assert _conclude(*kinds) is conclusion


def test_missing_parts_make_a_passing_run_provisional_and_leave_a_failing_one_alone() -> None:
    assert _conclude(parts_are_missing=True) is Conclusion.PROVISIONAL
    assert _conclude(FindingKind.REGRESSION, parts_are_missing=True) is Conclusion.BLOCKED


def test_a_report_that_was_cut_off_never_passes() -> None:
    assert _conclude(is_incomplete=True) is Conclusion.ON_HOLD


def test_a_run_without_cases_does_not_pass() -> None:
    assert _conclude(has_cases=False) is Conclusion.NO_RESULTS
    assert EXIT_CODES[Conclusion.NO_RESULTS] != 0


def test_every_conclusion_has_an_exit_code_and_every_finding_a_rank() -> None:
    assert set(EXIT_CODES) == set(Conclusion)
    assert sorted(SEVERITY) == sorted(FindingKind)


def _conclude(
    *kinds: FindingKind,
    has_cases: bool = True,
    is_incomplete: bool = False,
    parts_are_missing: bool = False,
) -> Conclusion:
    return conclude(
        kinds,
        has_cases=has_cases,
        is_incomplete=is_incomplete,
        parts_are_missing=parts_are_missing,
    )


@pytest.mark.parametrize("kind", FindingKind)
def test_a_case_that_was_allowed_once_lets_nothing_else_pass(kind: FindingKind) -> None:
    told = {"has_cases": True, "is_incomplete": False, "parts_are_missing": False}

    beside = conclude([kind], **told, some_are_allowed=True)

    assert EXIT_CODES[beside] == EXIT_CODES[conclude([kind], **told)]
