"""A previewed policy as rows."""

from triage.models import Run
from triage.verdict.policy_preview import PolicyPreview, PreviewedRun
from triage.verdict.rejudging import FindingChange
from triage.web.presenters.preview_rows import MOST_FINDINGS, NO_FINDING, preview_result


def previewed(now: str, then: str, *findings: FindingChange, stored: str = "") -> PreviewedRun:
    """Return a run as it was previewed."""
    return PreviewedRun(Run(), stored or now, now, then, "Do not merge", findings)


def change(before: str | None, after: str | None) -> FindingChange:
    """Return a finding that would be another one."""
    return FindingChange("a case", 1, "label", "", before, after, "“fraud” became “billing”")


def test_verdicts_are_counted_by_what_they_would_become_the_commonest_first() -> None:
    runs = [previewed("on_hold", "passed"), *[previewed("on_hold", "blocked")] * 2]

    found = preview_result(PolicyPreview([*runs, previewed("passed", "passed")], 0, 1.0))

    assert [(each.after.word, each.runs) for each in found.changes] == [
        ("blocked", 2),
        ("passed", 1),
    ]
    assert (found.runs, len(found.rows)) == (4, 3)


def test_a_run_with_another_finding_is_a_row_even_if_its_verdict_stays() -> None:
    run = previewed("blocked", "blocked", change("near_tie", None))

    (row,) = preview_result(PolicyPreview([run], 0, 1.0)).rows

    assert row.before == row.after
    assert row.findings[0].after is NO_FINDING


def test_a_verdict_that_is_outdated_anyway_is_no_change() -> None:
    run = previewed("blocked", "blocked", stored="on_hold")

    found = preview_result(PolicyPreview([run], 3, 1.0))

    assert (found.rows, found.outdated, found.left_out) == ([], 1, 3)


def test_many_findings_are_counted_and_some_of_them_shown() -> None:
    many = [change("near_tie", "label_regression")] * (MOST_FINDINGS + 2)

    found = preview_result(PolicyPreview([previewed("on_hold", "blocked", *many)], 0, 1.0))

    assert found.findings == MOST_FINDINGS + 2
    assert len(found.rows[0].findings) == MOST_FINDINGS
    assert found.rows[0].findings_left_out == 2
