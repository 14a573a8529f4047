"""Errors that the API's own code never sees have its shape all the same."""

import pytest
from django.test import Client

from tests.flows.suites import REPO
from triage.api.uploads import create_upload
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def headers() -> dict[str, str]:
    """Return the credentials of the suite's repository."""
    return {"Authorization": f"Bearer {create_token(find_or_add_repository(REPO), 'ci')}"}


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("DELETE", "/api/v1/uploads", 405, "method_not_allowed"),
        ("POST", "/api/v1/runs/1", 405, "method_not_allowed"),
        ("GET", "/api/v1/nothing", 404, "not_found"),
        ("GET", "/api/v1/uploads/no-number", 404, "not_found"),
    ],
)
def test_a_wrong_method_and_a_wrong_path_are_told_in_the_one_shape(
    headers: dict[str, str], method: str, path: str, status: int, code: str
) -> None:
    response = Client().generic(method, path, headers=headers)

    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (status, code)
    assert error["help"] == f"http://127.0.0.1:8000/api/v1/docs#{code}"


def test_a_wrong_method_is_told_which_ones_there_are(headers: dict[str, str]) -> None:
    assert Client().put("/api/v1/runs/1", headers=headers)["Allow"] == "GET"


def test_a_host_that_is_not_ours_is_told_in_the_one_shape() -> None:
    response = Client().get("/api/v1/openapi.json", headers={"Host": "evil.example"})

    assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_request")


def test_a_mistake_of_the_server_is_told_without_its_secrets(
    headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setitem(create_upload.__globals__, "read_submission", fail)
    client = Client(raise_request_exception=False)
    response = client.post("/api/v1/uploads", {}, headers=headers)

    assert (response.status_code, response.json()["error"]["code"]) == (500, "internal_error")
    assert "secret" not in response.content.decode()


def test_an_error_is_text_for_who_asks_for_text() -> None:
    response = Client().get("/api/v1/cases", headers={"Accept": "text/plain"})

    assert (response.status_code, response["Content-Type"]) == (401, "text/plain; charset=utf-8")
    assert response.content.decode().startswith("unauthorized: no token was sent")


def test_pages_keep_their_own_errors() -> None:
    assert "text/html" in Client().get("/runs/999999/")["Content-Type"]
