"""The tables of pages as CSV and JSON."""

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from tests.flows.suites import FLIP, REPO, START, WORDING, CaseRun, history, suite, take
from tests.web.builders import make_case, make_repository
from tests.web.people import member
from triage.models import Escalation, Run
from triage.web.pages.tables import ROWS_AT_ONCE, TABLES

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _two_days_later() -> object:
    with time_machine.travel(START + timedelta(days=2)):
        yield


def body(name: str, asked: str = "") -> str:
    """Return a table as it is sent."""
    answer = member().get(f"/repositories/{REPO}/tables/{name}{asked}")
    assert answer.status_code == 200
    return b"".join(answer).decode()  # type: ignore[call-overload, no-any-return]


def rows(name: str, asked: str = "") -> list[dict[str, Any]]:
    """Return the rows of a table."""
    return list(json.loads(body(f"{name}.json", asked)))


def lively_suite() -> None:
    """Take a history with a flip that a person is asked about, and a flake that is charged."""
    history(8)
    take(suite(8, CaseRun("test_ticket[5]", FLIP, "billing")), 20, pr=7)
    take(suite(8, CaseRun("test_ticket[3]", WORDING)), 21)


@pytest.mark.parametrize("name", TABLES)
def test_csv_and_json_hold_the_same_rows(name: str) -> None:
    lively_suite()
    asked = f"?run={Run.objects.latest('pk').pk}" if name == "comparison" else ""

    told = rows(name, asked)
    read = list(csv.DictReader(io.StringIO(body(f"{name}.csv", asked))))

    assert len(read) == len(told)
    assert read == [
        {key: "" if value is None else _as_text(value) for key, value in each.items()}
        for each in told
    ]


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def test_runs_are_those_of_the_filter_with_their_decision() -> None:
    lively_suite()

    (run,) = rows("runs", "?pr=7")

    assert run["pr"] == 7
    assert run["failed"] == 1
    assert run["url"] == f"http://127.0.0.1:8000/runs/{run['run_id']}/"
    assert len(rows("runs")) == Run.objects.count()


def test_cases_tell_what_they_did_lately() -> None:
    lively_suite()

    flipped, flaked, *others = rows("cases")

    assert (flipped["name"], flipped["label_flips_30_days"]) == ("test_ticket[5]", 1)
    assert (flaked["name"], flaked["wording_differences_30_days"]) == ("test_ticket[3]", 1)
    assert len(others) == 6
    assert [each["name"] for each in rows("cases", "?q=[5]")] == ["test_ticket[5]"]


def test_a_flip_is_in_no_ledger_and_in_no_budget() -> None:
    lively_suite()

    (charge,) = rows("ledger")
    (budget,) = rows("budgets")

    assert (charge["case"], charge["amount"], charge["difference"]) == (budget["case"], 1, "text")
    assert budget["case"].endswith("test_ticket[3]")
    assert len(rows("escalations")) == Escalation.objects.count()


def test_more_rows_than_are_read_at_once_all_come() -> None:
    repository = make_repository(REPO)
    for number in range(ROWS_AT_ONCE + 1):
        make_case(repository, f"case {number}")

    assert len(rows("cases")) == ROWS_AT_ONCE + 1


def test_a_name_that_begins_like_a_formula_is_no_formula() -> None:
    make_case(make_repository(REPO), "=HYPERLINK(1)")

    assert '"\'=HYPERLINK(1)"' in body("cases.csv")


def test_a_table_without_rows_is_still_one() -> None:
    make_repository(REPO)

    assert rows("cases") == []
    assert body("ledger.csv") == '"at","case_id","case","amount","difference","reason","run_id"\r\n'


def test_a_browser_saves_it_under_a_name_that_tells_what_it_is() -> None:
    make_repository(REPO)
    answer = member().get(f"/repositories/{REPO}/tables/cases.csv")

    assert answer["Content-Disposition"] == 'attachment; filename="acme-support-bot-cases.csv"'
    assert answer["Content-Type"] == "text/csv; charset=utf-8"


@pytest.mark.parametrize("name", ["nothing.csv", "cases.xml"])
def test_a_table_that_does_not_exist_is_told_with_those_that_do(name: str) -> None:
    make_repository(REPO)
    answer = member().get(f"/repositories/{REPO}/tables/{name}")

    assert answer.status_code == 404
    assert "cases.csv" in answer.content.decode()
