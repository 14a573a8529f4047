"""The description of the API, its page, its lists, and a fuzzer that takes it at its word."""

from collections import Counter
from typing import Any

import pytest
import schemathesis
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from openapi_schema_validator import OAS31Validator

from budgets.models import Charge
from tests.flows.suites import FLIP, REPO, WORDING, CaseRun, history, report, sha, suite, take
from triage.api.description import error_classes
from triage.api.examples import ERRORS, PARTS_OF_A_SUBMISSION
from triage.api.urls import api
from triage.models import Repository, Run, Upload
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token
from triage.wsgi import application

EXAMPLES = 15
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
LISTS = ("/runs", "/cases", "/budgets", "/budgets/charges", "/escalations")


def headers(*scopes: str) -> dict[str, str]:
    """Return the credentials of a token of the suite's repository."""
    secret = create_token(find_or_add_repository(REPO), "ci", scopes or ("upload", "read"))
    return {"Authorization": f"Bearer {secret}"}


def test_every_error_has_an_example_and_an_anchor_on_the_page() -> None:
    page = Client().get("/api/v1/docs").content.decode()
    codes = {each.code for each in error_classes()}

    assert codes == set(ERRORS)
    assert all(f'<h3 id="{code}">' in page for code in codes)


def test_the_page_shows_every_operation_and_loads_nothing_from_elsewhere() -> None:
    page = Client().get("/api/v1/docs").content.decode()

    for path, item in api.get_openapi_schema()["paths"].items():
        for method in item:
            assert f"<code>{method.upper()} {path}</code>" in page
    assert 'src="http' not in page
    assert 'href="http' not in page


def test_an_operation_leads_to_the_errors_that_it_may_answer_with() -> None:
    page = Client().get("/api/v1/docs").content.decode()
    operation = page[page.index('<h3 id="get-budgets">') :]

    assert '<a href="#unauthorized"><code>401 unauthorized</code></a>' in operation
    assert "``" not in page


@pytest.mark.browser
def test_the_page_fits_a_phone(browser_page: Any) -> None:
    browser_page.set_viewport_size({"width": 375, "height": 900})
    browser_page.goto("/api/v1/docs")

    assert browser_page.evaluate("document.documentElement.scrollWidth") <= 375


def test_examples_of_errors_have_the_shape_that_is_described() -> None:
    schema = api.get_openapi_schema()
    wanted = {"$ref": "#/components/schemas/Error", "components": schema["components"]}

    for example in ERRORS.values():
        OAS31Validator(wanted).validate(example)


@pytest.mark.django_db(transaction=True)
def test_the_examples_of_an_upload_are_taken() -> None:
    told = {name: schema["examples"][0] for name, schema in PARTS_OF_A_SUBMISSION.items()}
    form = told | {"files": SimpleUploadedFile("junit.xml", report(suite(2)))}
    answer = Client().post("/api/v1/uploads", form, headers=headers())

    assert answer.status_code == 201, answer.content


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", LISTS)
def test_a_list_that_did_not_change_is_not_sent_again(path: str) -> None:
    take(suite(3), 1)
    known = headers()
    first = Client().get(f"/api/v1{path}", headers=known)
    again = Client().get(f"/api/v1{path}", headers=known | {"If-None-Match": first["ETag"]})

    assert (first.status_code, first.json()["page"], first.json()["repo"]) == (200, 1, REPO)
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.django_db(transaction=True)
def test_runs_are_paged_and_filtered() -> None:
    for number in (1, 2, 3):
        take(suite(2), number, run_id=f"ci-{number}", pr=7 if number == 3 else None)
    known = headers()

    def listed(query: str) -> Any:
        return Client().get(f"/api/v1/runs{query}", headers=known)

    second = listed("?size=2&page=2").json()
    assert ([each["run_id"] for each in second["runs"]], second["total"]) == (["ci-1"], 3)
    assert [each["sha"] for each in listed("?pr=7").json()["runs"]] == [sha(3)]
    assert [each["run_id"] for each in listed(f"?sha={sha(2)}").json()["runs"]] == ["ci-2"]
    assert listed("?page=9").json()["error"]["code"] == "not_found"


@pytest.mark.django_db
@pytest.mark.parametrize("path", LISTS)
def test_reading_takes_the_scope_for_it(path: str) -> None:
    answer = Client().get(f"/api/v1{path}", headers=headers("upload"))

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")


@pytest.mark.django_db(transaction=True)
def test_whatever_the_description_allows_is_answered_as_described() -> None:
    """No 5xx, no status, type or body that is not in the description."""
    history(3)
    changed = CaseRun("test_ticket[1]", FLIP, "billing"), CaseRun("test_ticket[2]", WORDING)
    take(suite(3, *changed), 20, at=timezone.now())
    assert Charge.objects.exists()

    asked = ask_everything(headers("upload", "read", "decide"))

    assert set(asked) == described()
    assert {200, 400, 404} <= {status for each in asked.values() for status in each}
    assert not any(401 in each for each in asked.values())


@pytest.mark.django_db(transaction=True)
def test_whatever_is_asked_with_a_wrong_token_is_refused_and_changes_nothing() -> None:
    take(suite(3, CaseRun("test_ticket[1]", FLIP, "billing")), 1)
    before = Upload.objects.count(), Run.objects.count(), Repository.objects.count()

    asked = ask_everything({"Authorization": "Bearer wrong"})

    # The schema of policies is for everybody; a path that fits nothing is nobody's.
    assert set(asked.pop("GET /api/v1/policy.schema.json")) == {200}
    assert all(each[401] and set(each) <= {401, 404} for each in asked.values()), asked
    assert before == (Upload.objects.count(), Run.objects.count(), Repository.objects.count())


def described() -> set[str]:
    """Return every operation of the description."""
    paths = api.get_openapi_schema()["paths"]
    return {f"{method.upper()} {path}" for path, item in paths.items() for method in item}


def ask_everything(known: dict[str, str]) -> dict[str, Counter[int]]:
    """Ask what every operation allows; return how often each answered with which status."""
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", application)
    operations = [each.ok() for each in schema.get_all_operations()]
    return {each.label: _ask(each, known) for each in operations}


def _ask(operation: Any, known: dict[str, str]) -> Counter[int]:
    checks = [schemathesis.checks.CHECKS.get_one(name) for name in CHECKS]
    statuses: Counter[int] = Counter()

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        statuses[case.call_and_validate(headers=known, checks=checks).status_code] += 1

    ask()
    return statuses
