"""A run held against its base, or another run."""

import csv
import io
import json
from typing import Any

import pytest

from tests.flows.suites import CRASH, FLIP, REPO, WORDING, CaseRun, history, sha, suite, upload
from tests.web.builders import (
    AT,
    Failure,
    flip,
    make_case,
    make_judged_run,
    make_part,
    make_repository,
    make_run,
)
from tests.web.pages.reading import html, queries, text
from tests.web.people import member, sign_in_member
from triage.models import Run
from triage.models.vectors import Code
from triage.web.pages.comparison import CASES_PER_PAGE

pytestmark = pytest.mark.django_db

SIZE = 5
PR = {"pr": 42, "branch": "feature"}


def table(run: Run, other: Run) -> list[dict[str, Any]]:
    """Return the comparison as rows."""
    path = f"/repositories/{run.repository.full_name}/tables/comparison.json"
    answer = member().get(f"{path}?run={run.pk}&with={other.pk}")
    return list(json.loads(b"".join(answer)))  # type: ignore[call-overload]


def two_runs() -> tuple[Run, Run]:
    """Take a base with a flake and a crash, and a pull request that flips, and fails anew."""
    history(SIZE, 2)
    gone = CaseRun("test_ticket[3]", CRASH, None)
    base = upload(suite(SIZE, CaseRun("test_ticket[0]", WORDING), gone), 20).run
    changed = [
        CaseRun("test_ticket[0]", WORDING),
        CaseRun("test_ticket[1]", FLIP, "billing"),
        CaseRun("test_ticket[2]", CRASH, None),
        CaseRun("test_new"),
    ]
    cases = [*suite(SIZE - 1, *changed[:3]), changed[3]]
    return base, upload(cases, 30, **PR, base_sha=base.sha).run


def test_a_run_is_compared_with_its_base_unless_another_one_is_asked_for() -> None:
    base, run = two_runs()

    page = text(f"/runs/{run.pk}/compare/")

    assert f"Run {run.pk} compared with its base, run {base.pk}" in page
    assert f'href="/runs/{run.pk}/compare/"' in html(f"/runs/{run.pk}/")


def test_every_case_stands_in_the_group_of_its_change() -> None:
    base, run = two_runs()

    told = {row["case"].rpartition("::")[2]: row["change"] for row in table(run, base)}

    assert told == {
        "test_ticket[0]": "failing_alike",
        "test_ticket[1]": "label_changed",
        "test_ticket[2]": "newly_failing",
        "test_ticket[3]": "no_longer_failing",
        "test_ticket[4]": "only_there",
        "test_new": "only_here",
    }


def test_a_changed_label_is_shown_on_both_sides_with_what_was_judged() -> None:
    _, run = two_runs()

    page = text(f"/runs/{run.pk}/compare/?group=label_changed")
    row = page[page.index("test_ticket[1]") :]

    assert '<bdi class="label label--flipped">billing</bdi>' in row
    assert "near tie" in row
    assert f'href="/runs/{run.pk}/#result-' in row
    assert "test_ticket[0]" not in page
    assert "if it told a label, it was the expected one" in page


def test_the_other_way_round_what_was_new_is_gone() -> None:
    base, run = two_runs()

    told = {row["case"].rpartition("::")[2]: row["change"] for row in table(base, run)}

    assert told["test_ticket[1]"] == "no_longer_failing"
    assert told["test_ticket[3]"] == "newly_failing"
    assert told["test_new"] == "only_there"


def test_a_later_attempt_is_compared_with_the_one_before_it() -> None:
    history(SIZE, 2)
    failing = suite(SIZE, CaseRun("test_ticket[1]", CRASH, None))
    first = upload(failing, 30, **PR, run_id="7", attempt=1).run
    second = upload([CaseRun("test_ticket[1]")], 30, **PR, run_id="7", attempt=2).run

    (row,) = table(second, first)
    page = text(f"/runs/{second.pk}/compare/?with={first.pk}")

    assert (row["change"], row["outcome_here"]) == ("failing_alike", "passed")
    assert "failed before, then passed" in page
    assert "4 further cases are in both runs" in page


def test_runs_to_compare_with_are_offered_the_base_first() -> None:
    base, run = two_runs()
    sibling = make_run(run.repository, branch="feature", pr=42)

    page = text(f"/runs/{run.pk}/compare/")

    assert page.index("Its base") < page.index("Newest runs of this branch")
    assert page.count(f'compare/?with={base.pk}"') == 1
    assert f'href="/runs/{run.pk}/compare/?with={sibling.pk}"' in page
    assert f"?with={run.pk}" in page


def test_without_a_base_the_page_says_so_and_offers_what_there_is() -> None:
    repository = make_repository()
    run = make_judged_run(repository, base_sha="91d03e7" + "0" * 33)

    page = text(f"/runs/{run.pk}/compare/")

    assert "Its base, commit 91d03e7, has no run here" in page
    assert "No other run is near this one" in page


@pytest.mark.parametrize("told", ["999999", "abc", "-1", "1" * 5000, "٣"])
def test_a_run_that_is_not_there_is_told_with_the_number(told: str) -> None:
    run = make_judged_run(make_repository())

    answer = member().get(f"/runs/{run.pk}/compare/", {"with": told})

    assert answer.status_code == 404
    assert f"has no run “{told[:50]}”" in answer.content.decode()


def test_a_run_of_another_repository_is_not_there() -> None:
    run = make_judged_run(make_repository())
    foreign = make_judged_run(make_repository("acme/secret"))

    for path in (
        f"/runs/{run.pk}/compare/?with={foreign.pk}",
        f"/repositories/{run.repository}/tables/comparison.csv?run={foreign.pk}",
        f"/repositories/{run.repository}/tables/comparison.csv?run={run.pk}&with={foreign.pk}",
    ):
        assert member().get(path).status_code == 404


def test_what_cannot_be_known_is_said() -> None:
    repository = make_repository()
    case = make_case(repository)
    other = make_run(repository, sha=sha(1), parts_expected=2)
    make_part(other, {case: Code.PASSED}, name="1/2", index=1)
    run = make_run(repository, sha=sha(2), is_incomplete=True)
    make_part(run, {case: Code.PASSED})
    pruned = make_run(repository, sha=sha(3), pruned_at=AT)
    empty = make_run(repository, sha=sha(4))

    page = text(f"/runs/{run.pk}/compare/?with={other.pk}")

    assert f"Run {other.pk} has 1 of 2 parts" in page
    assert f"A report of run {run.pk} was cut off" in page
    assert "were deleted on 2026-11-20" in text(f"/runs/{run.pk}/compare/?with={pruned.pk}")
    assert "nothing to compare yet" in text(f"/runs/{run.pk}/compare/?with={empty.pk}")


def test_two_runs_that_passed_are_calmly_the_same() -> None:
    repository = make_repository()
    case = make_case(repository)
    runs = [make_run(repository, sha=sha(number)) for number in (1, 2)]
    for run in runs:
        make_part(run, {case: Code.PASSED})

    page = text(f"/runs/{runs[1].pk}/compare/?with={runs[0].pk}")

    assert "No case failed in either run, and both hold the same cases." in page
    assert "1 further case is in both runs" in page


def test_a_long_list_has_pages_and_a_group_of_its_own() -> None:
    repository = make_repository()
    cases = [make_case(repository, f"case {number:03}") for number in range(CASES_PER_PAGE + 1)]
    base = make_run(repository, sha=sha(1))
    make_part(base, dict.fromkeys(cases, Code.PASSED))
    run = make_judged_run(repository, [Failure(each) for each in cases], sha=sha(2))

    page = text(f"/runs/{run.pk}/compare/?with={base.pk}&page=2")

    assert f"Page 2 of 2 ({CASES_PER_PAGE + 1} cases)" in page
    assert "case 050" in page
    assert "case 049" not in page
    assert "No case differs in this way." in text(
        f"/runs/{run.pk}/compare/?with={base.pk}&group=failing_alike"
    )


def test_names_and_messages_are_escaped() -> None:
    repository = make_repository()
    hostile = "<script>alert(1)</script>\u202e"
    run = make_judged_run(
        repository, [Failure(make_case(repository, hostile), expected=hostile)], branch=hostile
    )
    other = make_judged_run(repository, [flip(repository.cases.get())], sha=sha(9))

    page = html(f"/runs/{run.pk}/compare/?with={other.pk}")

    assert "<script>alert" not in page
    assert "\u202e" not in page


def test_csv_holds_both_sides() -> None:
    base, run = two_runs()
    path = f"/repositories/{REPO}/tables/comparison.csv?run={run.pk}&with={base.pk}"
    body = b"".join(member().get(path)).decode()  # type: ignore[call-overload]

    (row,) = [each for each in csv.DictReader(io.StringIO(body)) if "[1]" in each["case"]]

    assert (row["outcome_there"], row["flips_there"]) == ("passed", "")
    assert (row["outcome_here"], row["flips_here"]) == ("failed", "fraud→billing")
    assert member().get(f"/repositories/{REPO}/tables/comparison.csv").status_code == 404


def test_the_number_of_queries_is_constant() -> None:
    repository = make_repository()
    cases = [make_case(repository, f"case {number}") for number in range(8)]
    base = make_judged_run(repository, [Failure(cases[0])], sha=sha(1), is_reference=True)
    small = make_judged_run(repository, [flip(cases[1])], sha=sha(2), branch="feature")
    few = queries(f"/runs/{small.pk}/compare/")
    for number in range(3, 9):
        make_judged_run(repository, sha=sha(number), is_reference=True, at=base.at)
    large = make_judged_run(
        repository, [flip(each) for each in cases], sha=sha(20), branch="feature"
    )

    assert queries(f"/runs/{large.pk}/compare/?with={base.pk}") <= few + 1


@pytest.mark.browser
@pytest.mark.parametrize("width", [375, 1440])
def test_a_browser_shows_a_comparison_whole_at_every_width(
    live_server: Any, browser_page: Any, width: int
) -> None:
    _, run = two_runs()
    wrong: list[str] = []
    browser_page.on("console", lambda message: wrong.append(message.text))
    browser_page.set_viewport_size({"width": width, "height": 900})
    sign_in_member(browser_page, live_server.url)

    browser_page.goto(f"/runs/{run.pk}/compare/")

    assert browser_page.evaluate("document.documentElement.scrollWidth") <= width
    assert wrong == []
