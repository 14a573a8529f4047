"""Turn an upload request, in any of its forms, into a submission."""

import json
from dataclasses import replace
from datetime import datetime
from typing import Annotated

from django.http import HttpRequest
from django.http.multipartparser import MultiPartParserError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from triage.errors import InvalidRequestError, PayloadTooLargeError
from triage.parse.upload import DEFAULT_LIMITS, UploadedFile
from triage.upload.refs import read_ref
from triage.upload.submission import Submission

FORM_TYPES = ("multipart/form-data", "application/x-www-form-urlencoded")
MOST_KEY_CHARACTERS = 255
POLICY_FIELD = "policy"
BODY_ENCODINGS = ("identity", "gzip", "x-gzip")

Text = Annotated[str, Field(max_length=300)]


class UploadFields(BaseModel):
    """The fields of an upload beside its files."""

    model_config = ConfigDict(extra="ignore")

    repo: Text
    sha: Text
    ref: Text = ""
    branch: Text = ""
    pr: int | None = None
    base_sha: Text = ""
    run_id: Text = ""
    attempt: int = 1
    job: Text = ""
    part: Text = ""
    at: datetime | None = None


def read_submission(request: HttpRequest) -> Submission:
    """Return what a request submits; raise ``InvalidRequestError`` naming the wrong field."""
    refuse_oversized(request)
    _refuse_encoded(request)
    is_form = (request.content_type or "").startswith(FORM_TYPES)
    try:
        given = request.GET.dict() | (request.POST.dict() if is_form else {})
        files = _form_files(request) if is_form else _body_file(request)
    except MultiPartParserError as error:
        raise InvalidRequestError(f"the form cannot be read: {error}") from error
    submission = _submission(_fields(given), files, request.headers.get("Idempotency-Key"))
    policy = request.FILES.get(POLICY_FIELD) if is_form else None
    return replace(submission, policy=policy.read() if policy else None)


def read_run(request: HttpRequest) -> Submission:
    """Return which run a request names, in its query, its form or its JSON body."""
    refuse_oversized(request)
    told = request.GET.dict() | request.POST.dict()
    if request.content_type == "application/json" and request.body:
        told |= _json_fields(request.body)
    return _submission(_fields(told), (), None)


def _json_fields(body: bytes) -> dict[str, str]:
    try:
        told = json.loads(body)
    except ValueError as error:
        raise InvalidRequestError(f"the body is no JSON: {error}") from error
    if not isinstance(told, dict):
        raise InvalidRequestError(f"the body must be a JSON object, got {type(told).__name__}")
    return {name: str(value) for name, value in told.items() if value is not None}


def refuse_oversized(request: HttpRequest) -> None:
    """Raise ``PayloadTooLargeError`` before a body is read that is larger than is taken."""
    length = int(request.headers.get("Content-Length") or 0)
    if length > DEFAULT_LIMITS.compressed_bytes:
        raise PayloadTooLargeError(
            f"the request holds {length} bytes, the limit is {DEFAULT_LIMITS.compressed_bytes}; "
            "send the reports gzip-compressed or in several uploads"
        )


def _refuse_encoded(request: HttpRequest) -> None:
    """Refuse what is not decoded; a report in gzip is read whether a header says so or not."""
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    is_form = (request.content_type or "").startswith(FORM_TYPES)
    if encoding not in BODY_ENCODINGS or (is_form and encoding != "identity"):
        raise InvalidRequestError(
            f"Content-Encoding must be gzip with a report as the body, or none with a form, got "
            f"{encoding[:40]!r}; gzip the files of a form instead of the form"
        )


def _form_files(request: HttpRequest) -> tuple[UploadedFile, ...]:
    return tuple(
        UploadedFile(file.name or "report.xml", file.read())
        for field in request.FILES
        if field != POLICY_FIELD
        for file in request.FILES.getlist(field)
    )


def _body_file(request: HttpRequest) -> tuple[UploadedFile, ...]:
    name = request.GET.get("filename") or "report.xml"
    return (UploadedFile(name, request.body),) if request.body else ()


def _fields(given: dict[str, str]) -> UploadFields:
    told = {name: value for name, value in given.items() if value != ""}
    try:
        return UploadFields.model_validate(told)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        shown = f", got {str(told[name])[:80]!r}" if name in told else ""
        raise InvalidRequestError(f"{name}: {first['msg'].lower()}{shown}") from error


def _submission(
    fields: UploadFields, files: tuple[UploadedFile, ...], key: str | None
) -> Submission:
    if key is not None and not 0 < len(key) <= MOST_KEY_CHARACTERS:
        raise InvalidRequestError(
            f"Idempotency-Key must have 1 to {MOST_KEY_CHARACTERS} characters, got {len(key)}"
        )
    ref = read_ref(fields.ref)
    return Submission(
        repo=fields.repo,
        sha=fields.sha,
        files=files,
        branch=fields.branch or ref.branch,
        pr=fields.pr or ref.pr,
        base_sha=fields.base_sha,
        run_id=fields.run_id,
        attempt=fields.attempt,
        job=fields.job,
        part=fields.part,
        at=fields.at,
        idempotency_key=key,
    )
