"""The strip of a case."""

from datetime import timedelta

import pytest

from tests.web.builders import AT, make_case, make_part, make_repository, make_run
from triage.models import Case, Repository
from triage.models.vectors import Code
from triage.web.presenters.strips import MOST_CELLS, Strip, strip

pytestmark = pytest.mark.django_db


def house() -> tuple[Repository, Case]:
    """Return a repository with one case."""
    repository = make_repository()
    return repository, make_case(repository)


def words(shown: Strip) -> list[str]:
    """Return the words of the cells in their order."""
    return [cell.badge.word for cell in shown.cells]


def test_cells_stand_oldest_first() -> None:
    repository, case = house()
    for day, code in enumerate([Code.PASSED, Code.SKIPPED, Code.PASSED_AFTER_RETRY]):
        make_part(make_run(repository, AT + timedelta(days=day)), {case: code})

    assert words(strip(case, [])) == ["passed", "skipped", "passed after a retry"]


def test_a_run_without_the_case_has_no_cell() -> None:
    repository, case = house()
    other = make_case(repository, "other")
    make_part(make_run(repository), {other: Code.PASSED})

    assert strip(case, []) == Strip([], [])


def test_a_run_with_several_legs_shows_the_worst_of_them() -> None:
    repository, case = house()
    run = make_run(repository)
    for name, code in [("1", Code.PASSED), ("2", Code.FAILED), ("3", Code.SKIPPED)]:
        make_part(run, {case: code}, name=name)

    assert words(strip(case, [])) == ["failed, not judged yet"]


def test_only_the_newest_runs_have_cells() -> None:
    repository, case = house()
    for day in range(MOST_CELLS + 3):
        code = Code.SKIPPED if day < 3 else Code.PASSED
        make_part(make_run(repository, AT + timedelta(days=day)), {case: code})

    shown = strip(case, [])

    assert [(each.badge.word, each.runs) for each in shown.counts] == [("passed", MOST_CELLS)]


def test_a_part_stored_before_the_case_existed_has_no_cell() -> None:
    repository, first = house()
    make_part(make_run(repository), {first: Code.PASSED})
    late = make_case(repository, "late")

    assert strip(late, []).cells == []
