"""A case's page."""

from datetime import timedelta

import pytest

from budgets.models import Charge
from tests.web.builders import (
    AT,
    flip,
    make_case,
    make_epoch,
    make_escalation,
    make_judged_run,
    make_labels,
    make_repository,
)
from tests.web.pages.reading import html, queries, text
from tests.web.people import member
from triage.models import Case
from triage.terms import FindingKind

pytestmark = pytest.mark.django_db


def new_case() -> Case:
    """Return an LLM case in a repository of its own."""
    return make_case(make_repository())


def test_a_case_that_nothing_is_known_of_still_has_a_page() -> None:
    page = text(f"/cases/{new_case().pk}/")

    assert "No run is kept that held this case." in page
    assert "Nothing was charged. Label flips never are." in page


def test_the_strip_says_in_words_what_its_colours_show() -> None:
    case = new_case()
    run = make_judged_run(case.repository, [flip(case)])

    page = text(f"/cases/{case.pk}/")

    assert "label regression, 4f2c9ab, 20 Nov 2026" in page
    assert f'<a href="/runs/{run.pk}/"' in page


def test_both_rates_are_charted_apart_and_repeated_as_tables() -> None:
    case = new_case()
    make_epoch(case, calls=500, text=12)

    page = text(f"/cases/{case.pk}/")

    assert "Label flips per call over time" in page
    assert "Wording differences per call over time" in page
    assert "2.4 % (12 of 500, 1.4–4.1 %)" in page


def test_epochs_show_what_made_them() -> None:
    case = new_case()
    make_epoch(case, 1, prompt_sha256="ab12cd3" + "0" * 57)
    make_epoch(case, 2, AT + timedelta(days=3))

    page = text(f"/cases/{case.pk}/")

    assert page.index("acme-llm-2") < page.index("acme-llm-1")
    assert "<code>ab12cd3</code>" in page
    assert ">epoch 2</text>" in page


def test_an_alias_without_a_snapshot_is_not_pinned_and_said_so() -> None:
    case = new_case()
    make_epoch(case, model_snapshot="", model_requested="acme-llm-latest")

    page = text(f"/cases/{case.pk}/")

    assert "Not pinned: <bdi><code>acme-llm-latest</code></bdi> was asked for" in page


def test_labels_are_counted_as_a_matrix() -> None:
    case = new_case()
    make_labels(make_epoch(case), {("fraud", "fraud"): 30, ("fraud", "billing"): 2})

    page = text(f"/cases/{case.pk}/")

    assert "Labels: expected × observed" in page
    assert '<td class="number flipped">2 ' in page


def test_an_open_question_stands_above_the_history() -> None:
    case = new_case()
    make_escalation(case, make_epoch(case))

    page = text(f"/cases/{case.pk}/")

    assert page.index("Open question</a>: is it") < page.index('id="history"')


def test_charges_and_reversals_are_both_in_the_ledger() -> None:
    case = new_case()
    run = make_judged_run(case.repository)
    for number, amount in enumerate((1, -1)):
        Charge.objects.create(
            repository=case.repository,
            case=case,
            run=run,
            event="e",
            number=number,
            difference="text",
            amount=amount,
            reason=f"entry {number}",
            at=AT,
        )

    page = text(f"/cases/{case.pk}/")

    assert page.index("−1 taken back") < page.index("+1 charged")


def test_missing_evidence_comes_with_the_line_that_adds_it() -> None:
    case = new_case()

    page = text(f"/cases/{case.pk}/")

    assert 'record_property("tiebreak.label", answer.label)' in page
    assert 'record_property("gen_ai.response.model", response.model)' in page


def test_a_hostile_name_is_escaped_and_contained() -> None:
    case = make_case(make_repository(), "<script>alert(1)</script>\u202e")
    make_labels(make_epoch(case, model_snapshot="<img src=x>"), {("<b>", "\u202ebilling"): 1})

    page = html(f"/cases/{case.pk}/")

    assert "<script>" not in page
    assert "<img" not in page
    assert "\u202e" not in page


def test_a_case_that_is_not_there_is_named_in_the_answer() -> None:
    response = member().get("/cases/999999/")

    assert response.status_code == 404
    assert "There is no case 999999," in response.content.decode()


def test_the_number_of_queries_does_not_grow_with_the_history() -> None:
    case = new_case()
    make_labels(make_epoch(case), {("fraud", "billing"): 1})
    make_epoch(case, 2, AT + timedelta(days=1))
    make_judged_run(case.repository, [flip(case)])
    few = queries(f"/cases/{case.pk}/")
    for number in range(3, 8):
        at = AT + timedelta(days=number)
        make_labels(make_epoch(case, number, at), {("fraud", "fraud"): 9})
        make_judged_run(case.repository, [flip(case, FindingKind.NEAR_TIE)], at=at)

    assert queries(f"/cases/{case.pk}/") == few == 21
