"""Read what uploaders send: JSON objects of unknown shape, and forms."""

import json
from typing import Any

from django.http import HttpRequest, QueryDict
from django.http.multipartparser import MultiPartParserError
from django.utils.datastructures import MultiValueDict

from triage.errors import InvalidRequestError

Fields = dict[str, Any]


def json_object(body: bytes, what: str = "the body") -> Fields:
    """Return a JSON object; raise ``InvalidRequestError`` for anything else."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidRequestError(f"{what} is no JSON: {error}") from error
    if not isinstance(told, dict):
        raise InvalidRequestError(f"{what} must be a JSON object, got {type(told).__name__}")
    return told


def form_of(request: HttpRequest) -> tuple[QueryDict, "MultiValueDict[str, Any]"]:
    """Return fields and files of a form; raise ``InvalidRequestError`` when it cannot be read."""
    try:
        return request.POST, request.FILES
    except MultiPartParserError as error:
        raise InvalidRequestError(f"the form cannot be read: {error}") from error


def text(told: Fields, *names: str) -> str:
    """Return the first of these members that is there, as text; empty when none is."""
    for name in names:
        value = told.get(name)
        if value is not None and value != "" and isinstance(value, str | int | float):
            return str(value)
    return ""


def number(told: Fields, *names: str) -> int | None:
    """Return the first of these members that is there, as a number; ``None`` when none is one."""
    value = text(told, *names)
    return int(value) if value.isascii() and value.isdigit() and len(value) <= 18 else None


def member(told: Fields, name: str) -> Fields:
    """Return an object inside an object; empty when there is none."""
    found = told.get(name)
    return found if isinstance(found, dict) else {}
