"""A run's page."""

import pytest

from tests.web.builders import (
    BUDGET,
    Failure,
    flip,
    make_case,
    make_judged_run,
    make_part,
    make_repository,
    make_run,
    make_upload,
)
from tests.web.pages.reading import html, queries, text
from tests.web.people import member
from triage.terms import Conclusion, Difference, FindingKind
from triage.web.pages.run import FINDINGS_PER_PAGE
from triage.web.presenters.evidence import MOST_CHARACTERS

pytestmark = pytest.mark.django_db

DECISION = "Do not merge: 1 label regression (fraud → billing), 1 expected flake"
RLO = "\u202e"


def test_the_decision_is_the_heading_and_the_title() -> None:
    repository = make_repository()
    failures = [flip(make_case(repository)), Failure(make_case(repository, "b"))]
    run = make_judged_run(repository, failures, Conclusion.BLOCKED, DECISION, pr=7)

    page = text(f"/runs/{run.pk}/")

    assert f"<h1><bdi>{DECISION}</bdi></h1>" in page
    assert f"<title>{DECISION} · acme/support-bot</title>" in page
    assert page.count("<h1") == 1


def test_the_second_line_holds_commit_totals_and_what_was_due() -> None:
    repository = make_repository()
    run = make_judged_run(repository, [flip(make_case(repository))], base_sha="91d03e7" + "0" * 33)

    page = text(f"/runs/{run.pk}/")

    assert "<code>4f2c9ab</code> against <code>91d03e7</code>" in page
    assert "1 where 1.5 were due (p = 0.44), of 10" in page
    assert "2 of 7 used" in page


def test_findings_keep_the_order_of_the_verdict() -> None:
    repository = make_repository()
    failures = [
        flip(make_case(repository, "z::flips")),
        Failure(make_case(repository, "a::flakes")),
    ]
    run = make_judged_run(repository, failures)

    page = text(f"/runs/{run.pk}/")

    assert page.index("z::flips") < page.index("a::flakes")


def test_a_flip_shows_both_labels_its_rate_and_that_no_budget_pays() -> None:
    repository = make_repository()
    run = make_judged_run(repository, [flip(make_case(repository))])

    page = text(f"/runs/{run.pk}/")

    assert '<bdi class="label label--flipped">billing</bdi>' in page
    assert '2.4 % (12 of 500, 1.4–4.1 %) <span class="muted">label flips</span>' in page
    assert "never charged: a label flip is no flake" in page
    assert "more than 99.9 %" in page
    assert "confidence 0.91" in page
    assert "100.0 %" not in page


def test_a_flip_never_shows_a_gauge_even_if_its_receipt_had_one() -> None:
    """The page adds no door of its own through which a flip could look paid for."""
    repository = make_repository()
    broken = Failure(
        make_case(repository),
        FindingKind.NEAR_TIE,
        Difference.LABEL,
        observed="billing",
        receipt={"budget": BUDGET},
    )
    run = make_judged_run(repository, [broken], document={"budget": None})

    page = text(f"/runs/{run.pk}/")

    assert "gauge-bar" not in page
    assert "never charged: a label flip is no flake" in page


def test_evidence_is_folded_and_cut_with_the_rest_counted() -> None:
    repository = make_repository()
    long_text = "E   " + "x" * MOST_CHARACTERS
    run = make_judged_run(repository, [Failure(make_case(repository), text=long_text)])

    page = text(f"/runs/{run.pk}/")

    assert long_text[:MOST_CHARACTERS] in page
    assert long_text not in page
    assert "4 more characters are in the report." in page
    assert "<details open" not in page


def test_a_finding_has_an_address_of_its_own() -> None:
    repository = make_repository()
    run = make_judged_run(repository, [flip(make_case(repository))])

    assert f'id="result-{run.results.get().pk}"' in html(f"/runs/{run.pk}/")


def test_names_labels_and_texts_are_escaped_and_their_direction_is_contained() -> None:
    repository = make_repository()
    hostile = f"<script>alert(1)</script>{RLO}"
    failure = Failure(
        make_case(repository, hostile),
        FindingKind.NEAR_TIE,
        Difference.LABEL,
        expected="fraud",
        observed=hostile,
        text=hostile,
        reason=hostile,
        receipt={"next_step": hostile},
    )
    run = make_judged_run(repository, [failure], headline=hostile, branch=hostile, pr=3)

    for path in ("/", f"/r/{repository.full_name}/", f"/runs/{run.pk}/"):
        page = html(path)
        assert "<script>" not in page
        assert RLO not in page


def test_warnings_and_files_that_were_cut_off_are_told() -> None:
    repository = make_repository()
    warning = "INCOMPLETE: a report was cut off; cases after the cut are not known."
    run = make_judged_run(
        repository,
        conclusion=Conclusion.ON_HOLD,
        headline="On hold, INCOMPLETE: a report was cut off",
        document={"warnings": [warning]},
    )
    reading = {"files": [{"file": "junit.xml", "tests": 3, "incomplete": True}]}
    make_upload(run.parts.get(), reading=reading)

    page = text(f"/runs/{run.pk}/")

    assert warning in page
    assert "junit.xml: cut off, INCOMPLETE" in page


def test_the_plan_of_the_second_pass_is_shown_with_its_command() -> None:
    repository = make_repository()
    case = make_case(repository)
    asked = {"cases": [{"case": case.title, "part": "", "repeats": 5}], "repeats": 5}
    run = make_judged_run(
        repository, [flip(case, FindingKind.NEAR_TIE)], document={"second_pass": asked}
    )

    page = text(f"/runs/{run.pk}/")

    assert "<b>5 ×</b>" in page
    assert "upload the report as attempt 2" in page
    assert "-F attempt=2" in page


def test_attempts_of_one_ci_run_lead_to_each_other() -> None:
    repository = make_repository()
    first = make_judged_run(repository, ci_run_id="77", attempt=1)
    second = make_judged_run(repository, ci_run_id="77", attempt=2)
    stranger = make_judged_run(repository, ci_run_id="78", attempt=1)

    page = text(f"/runs/{first.pk}/")

    assert f'A later attempt of this run exists: <a href="/runs/{second.pk}/">' in page
    assert f"/runs/{stranger.pk}/" not in page
    assert "A later attempt" not in text(f"/runs/{second.pk}/")


def test_parts_are_listed_with_their_counts() -> None:
    repository = make_repository()
    run = make_judged_run(repository)
    make_part(run, {}, name="llm 2/2", index=2, passed=4, errored=1, llm=3)

    page = text(f"/runs/{run.pk}/")

    assert "llm 2/2" in page
    assert "4 passed, <b>1 errored</b>" in page


def test_a_run_that_waits_for_its_verdict_says_so() -> None:
    run = make_run(make_repository())
    make_upload(make_part(run, {}), state="received")

    page = text(f"/runs/{run.pk}/")

    assert "<h1><bdi>Not judged yet</bdi></h1>" in page
    assert "nothing has to be sent twice" in page


def test_an_upload_that_was_set_aside_shows_why() -> None:
    run = make_run(make_repository())
    make_upload(make_part(run, {}), state="dead", error="the storage did not answer")

    assert "the storage did not answer" in text(f"/runs/{run.pk}/")


def test_a_run_that_is_not_there_is_named_in_the_answer() -> None:
    response = member().get(f"/runs/{10**20}/")

    assert response.status_code == 404
    assert f"There is no run {10**20}," in response.content.decode()


def test_the_number_of_queries_and_rows_is_bounded() -> None:
    repository = make_repository()
    one = make_judged_run(repository, [flip(make_case(repository))])
    cases = [make_case(repository, f"case {n}") for n in range(FINDINGS_PER_PAGE + 1)]
    many = make_judged_run(repository, [flip(case) for case in cases])

    assert queries(f"/runs/{many.pk}/") == queries(f"/runs/{one.pk}/") == 11
    assert html(f"/runs/{many.pk}/").count('<tbody role="rowgroup"') == FINDINGS_PER_PAGE
    assert html(f"/runs/{many.pk}/?page=2").count('<tbody role="rowgroup"') == 1
