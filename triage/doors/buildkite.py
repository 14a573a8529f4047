"""Buildkite Test Engine's address for uploads: JUnit XML as a form, or results as JSON.

https://buildkite.com/docs/test-engine/test-collection/importing-junit-xml
"""

import re
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from triage.api.taking import take_in
from triage.doors.bodies import Fields, form_of, json_object, member, text
from triage.doors.buildkite_results import junit_of_results
from triage.doors.door import door, token_of
from triage.doors.places import attempt_of_key, place_of_run
from triage.errors import InvalidRequestError
from triage.parse.upload import UploadedFile
from triage.upload.acceptance import Accepted
from triage.upload.callers import Caller
from triage.upload.refs import read_ref
from triage.upload.submission import Submission

FORM = "multipart/form-data"
CREDENTIALS = re.compile(r'(?:token|bearer)\s+(?:token=)?"?(?P<secret>[^"\s]*)"?', re.IGNORECASE)
RUN_ENV = re.compile(r"run_env\[(?P<name>\w+)\]")


@door("POST")
def upload(request: HttpRequest) -> HttpResponse:
    """Take the results of one job, or of a hundred tests of it."""
    sent = CREDENTIALS.fullmatch(request.headers.get("Authorization", "").strip())
    caller = token_of(request, sent["secret"] if sent else "")
    is_form = (request.content_type or "").startswith(FORM)
    run_env, files = _form(request) if is_form else _json(request)
    accepted = take_in(_submission(run_env, files, caller), caller, 0)
    return JsonResponse(_answer(accepted), status=202)


def _form(request: HttpRequest) -> tuple[Fields, tuple[UploadedFile, ...]]:
    fields, files = form_of(request)
    kind = fields.get("format", "junit")
    sent = tuple(UploadedFile(each.name, each.read()) for each in files.getlist("data"))
    told = {
        found["name"]: value
        for name, value in fields.items()
        if (found := RUN_ENV.fullmatch(name)) is not None
    }
    if kind == "junit":
        return told, sent
    if kind == "json":
        return told, tuple(_converted(each.body) for each in sent)
    raise InvalidRequestError(f"format must be 'junit' or 'json', got {str(kind)[:80]!r}")


def _json(request: HttpRequest) -> tuple[Fields, tuple[UploadedFile, ...]]:
    told = json_object(request.body)
    if told.get("format", "json") != "json":
        raise InvalidRequestError(f"format must be 'json', got {str(told['format'])[:80]!r}")
    results = UploadedFile("results.xml", junit_of_results(told.get("data")))
    return member(told, "run_env"), (results,)


def _converted(body: bytes) -> UploadedFile:
    told = json_object(b'{"data":' + body + b"}", "data")
    return UploadedFile("results.xml", junit_of_results(told["data"]))


def _submission(run_env: Fields, files: tuple[UploadedFile, ...], caller: Caller) -> Submission:
    key, place = text(run_env, "key"), place_of_run(text(run_env, "url"))
    ref = read_ref(text(run_env, "branch"))
    sha = text(run_env, "commit_sha").lower()
    if not sha:
        raise InvalidRequestError(
            "run_env[commit_sha] is missing; outside Buildkite, GitHub Actions and CircleCI the "
            "collector does not tell the commit, so send the JUnit report instead"
        )
    return Submission(
        repo=place.repo or caller.repository.full_name,
        sha=sha,
        files=files,
        branch=ref.branch,
        pr=ref.pr,
        run_id=place.run_id or key,
        attempt=place.attempt or (attempt_of_key(key) if place.run_id else None) or 1,
        job=text(run_env, "job_id"),
        is_merge=ref.is_merge,
    )


def _answer(accepted: Accepted) -> dict[str, Any]:
    upload = accepted.upload
    read = upload.reading.get("files", ())
    return {
        "id": str(upload.pk),
        "run_id": str(upload.run_id),
        "queued": sum(each.get("tests", 0) for each in read),
        "skipped": 0,
        "errors": [],
        "run_url": settings.TIEBREAK_URL + reverse("run", args=[upload.run_id]),
    }
