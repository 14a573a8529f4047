"""The API's description as a page for people, made of the same document that programs read."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from triage.api.application import api
from triage.api.description import JSON, error_classes, first_line, operations
from triage.api.examples import ERRORS
from triage.errors import TiebreakError


@dataclass(frozen=True, slots=True)
class Entry:
    """One operation, as the page shows it."""

    method: str
    path: str
    summary: str
    description: str
    needs_token: bool
    parameters: list[dict[str, Any]]
    bodies: list[str]
    answers: list[tuple[str, str]]
    # Status and code of every error that it may answer with.
    errors: list[tuple[str, str]]

    @property
    def anchor(self) -> str:
        """What leads to the operation on the page."""
        words = "".join(each if each.isalnum() else " " for each in self.path).split()
        return "-".join([self.method.lower(), *words[2:]])


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Show every operation and every error, each under an anchor of its own."""
    entries = [_entry(*each) for each in operations(api.get_openapi_schema())]
    errors = [_error(each) for each in error_classes()]
    return render(request, "api/reference.html", {"entries": entries, "errors": errors})


def _entry(path: str, method: str, told: dict[str, Any]) -> Entry:
    responses = {str(status): each for status, each in told["responses"].items()}
    return Entry(
        method.upper(),
        path,
        told.get("summary", ""),
        told.get("description", ""),
        bool(told.get("security")),
        told.get("parameters", []),
        list(told.get("requestBody", {}).get("content", ())),
        [(status, each["description"]) for status, each in responses.items() if status < "400"],
        [
            (status, code)
            for status, each in responses.items()
            if status >= "400"
            for code in each["content"][JSON]["examples"]
        ],
    )


def _error(kind: type[TiebreakError]) -> dict[str, Any]:
    return {
        "code": kind.code,
        "status": kind.status,
        "meaning": first_line(kind),
        "is_retryable": kind.is_retryable,
        "example": ERRORS[kind.code]["error"]["message"],
    }
