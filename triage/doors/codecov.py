"""Codecov's uploader for test results: a POST that says what comes, a PUT that brings it.

The PUT is sent without a token, so its address is signed and holds all that the POST told. Its
answer is what the uploader prints: a verdict that fails is answered with 422 and the whole text,
which fails the step only where ``fail_ci_if_error`` is set.

https://github.com/getsentry/prevent-cli
"""

import binascii
import re
import zlib
from base64 import b64decode
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone

from triage.api.responses import current_verdict
from triage.api.taking import take_in
from triage.doors.bodies import Fields, json_object, member, number, text
from triage.doors.door import door, token_of
from triage.doors.places import place_of_run
from triage.errors import (
    ForbiddenError,
    InvalidRequestError,
    PayloadTooLargeError,
    TiebreakError,
)
from triage.models import Repository, Run, Token, Upload
from triage.parse.upload import DEFAULT_LIMITS, UploadedFile
from triage.pipeline import close_run
from triage.publish.text import verdict_text
from triage.terms import RunEnd, UploadState
from triage.upload.callers import (
    Caller,
    announced_by_workflow,
    caller_of_token,
    own_submission,
    require_repository,
    require_scope,
)
from triage.upload.refs import read_ref
from triage.upload.submission import Submission
from triage.upload.tokens import require_in_force

SALT = "codecov"
# An uploader sends its files at once; a job that is held up for longer starts anew.
LONGEST_BETWEEN_S = 3_600
# The uploader waits for the answer as long as it takes; a job should not.
WAIT_S = 30
FAILED = 422
PACKED = "base64+compressed"
# What means something else when it is left out.
ALWAYS_TOLD = {"is_trusted"}
SCHEME = re.compile(r"(?:token|bearer)\s+", re.IGNORECASE)


def _refusal(error: TiebreakError) -> HttpResponse:
    # The uploader prints the answer as it is, so it is worded for the log of a job.
    shown = HttpResponse(f"{error}\n", status=error.status, content_type="text/plain")
    shown["X-Tiebreak-Error"] = error.code
    return shown


@door("POST", _refusal)
def announce(request: HttpRequest) -> HttpResponse:
    """Take what an upload will be about, and say where its files are to be sent."""
    caller = _token(request)
    told = json_object(request.body)
    submission = own_submission(caller, _submission(told, caller))
    page = settings.TIEBREAK_URL + reverse("repository", args=[submission.repo])
    answer: dict[str, Any] = {"url": page}
    if told.get("file_not_found") is not True:
        path = reverse("codecov-files", args=[_signed(submission, caller)])
        answer["raw_upload_location"] = _address(request, path)
    return JsonResponse(answer, status=201)


@door("PUT", _refusal)
def bring(request: HttpRequest, signed: str) -> HttpResponse:
    """Take the files of an upload that was announced, and answer with the verdict."""
    submission, caller = _unsigned(signed)
    told = json_object(request.body)
    accepted = take_in(replace(submission, files=_files(told)), caller, WAIT_S)
    return _answer(accepted.upload)


@door("POST", _refusal)
def note_commit(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the commit that the uploader tells of first; nothing of it is needed."""
    require_repository(_token(request), repo_of_slug(slug))
    return JsonResponse({}, status=201)


@door("POST", _refusal)
def complete(request: HttpRequest, slug: str, sha: str) -> HttpResponse:
    """Await no further report of a commit's newest run."""
    caller = _token(request)
    require_repository(caller, repo_of_slug(slug))
    runs = Run.objects.filter(repository_id=caller.repository_id, closed_at__isnull=True)
    if caller.workflow:
        runs = runs.filter(ci_run_id=caller.workflow.run_id)
    newest = (runs.filter(sha=sha) or runs.filter(merge_sha=sha)).order_by("-at", "-pk").first()
    if newest:
        close_run(newest.pk, RunEnd.TOLD, timezone.now())
    return JsonResponse({}, status=200)


def _address(request: HttpRequest, path: str) -> str:
    """Return an address under the name by which the uploader reached us."""
    is_usual = request.get_host() == urlsplit(settings.TIEBREAK_URL).netloc
    return settings.TIEBREAK_URL + path if is_usual else request.build_absolute_uri(path)


def repo_of_slug(slug: str) -> str:
    """Return OWNER/GROUP/NAME of a slug such as ``owner:::group::::name``."""
    return slug.replace("::::", "/").replace(":::", "/")


def _token(request: HttpRequest) -> Caller:
    caller = token_of(request, SCHEME.sub("", request.headers.get("Authorization", ""), count=1))
    require_scope(caller, "upload")
    return caller


def _submission(told: Fields, caller: Caller) -> Submission:
    arguments = member(told, "cli_args")
    place = place_of_run(text(told, "ci_url"))
    ref = read_ref(text(told, "branch"))
    # A fork's branch comes as OWNER:BRANCH.
    branch = ref.branch.rpartition(":")[2]
    pr = number(told, "pullid") or number(arguments, "pull_request_number") or ref.pr
    return Submission(
        repo=repo_of_slug(text(told, "slug")) or caller.repository.full_name,
        sha=text(told, "commit", "commitid").lower(),
        branch=branch,
        pr=pr,
        run_id=place.run_id or text(arguments, "build_code"),
        attempt=number(member(told, "env"), "GITHUB_RUN_ATTEMPT") or place.attempt or 1,
        job=_job(told),
    )


def _job(told: Fields) -> str:
    """Return what tells one leg of a matrix from another: the name, and the flags with it."""
    flags = told.get("flags")
    named = [each for each in flags if isinstance(each, str)] if isinstance(flags, list) else []
    return " ".join([text(told, "name", "job_code"), *sorted(named)]).strip()


def _signed(submission: Submission, caller: Caller) -> str:
    told = {
        name: value
        for name, value in asdict(submission).items()
        if name in ALWAYS_TOLD or value not in (None, "", (), False)
    }
    token_id = caller.token.pk if caller.token else None
    return signing.dumps([token_id, caller.repository_id, told], salt=SALT, compress=True)


def _unsigned(signed: str) -> tuple[Submission, Caller]:
    try:
        token_id, repository_id, told = signing.loads(signed, salt=SALT, max_age=LONGEST_BETWEEN_S)
    except signing.BadSignature as error:
        raise ForbiddenError(
            "the address to send files to is not one of ours, or is older than an hour; "
            "start the uploader anew"
        ) from error
    return Submission(**told), _announcer(token_id, repository_id)


def _announcer(token_id: int | None, repository_id: int) -> Caller:
    if token_id is None:
        return announced_by_workflow(Repository.objects.get(pk=repository_id))
    token = Token.objects.select_related("repository").filter(pk=token_id).first()
    if token is None:
        raise ForbiddenError("the token that announced these files is gone; start anew")
    require_in_force(token)
    return caller_of_token(token)


def _files(told: Fields) -> tuple[UploadedFile, ...]:
    sent = told.get("test_results_files")
    if not isinstance(sent, list):
        raise InvalidRequestError("the body must hold the list 'test_results_files'")
    left = DEFAULT_LIMITS.decompressed_bytes
    files = []
    for each in sent:
        file = _file(each if isinstance(each, dict) else {}, left)
        left -= len(file.body)
        files.append(file)
    return tuple(files)


def _file(told: Fields, most: int) -> UploadedFile:
    name = text(told, "filename") or "report.xml"
    if told.get("format") != PACKED:
        raise InvalidRequestError(
            f"{name}: format must be {PACKED!r}, got {str(told.get('format'))[:80]!r}"
        )
    try:
        stream = zlib.decompressobj()
        body = stream.decompress(b64decode(text(told, "data")), max(most, 1))
    except (binascii.Error, ValueError, zlib.error) as error:
        raise InvalidRequestError(f"{name}: the data cannot be unpacked: {error}") from error
    if stream.unconsumed_tail:
        raise PayloadTooLargeError(
            f"the files unpack to more than {DEFAULT_LIMITS.decompressed_bytes} bytes; "
            "send them in several uploads"
        )
    return UploadedFile(name, body)


def _answer(upload: Upload) -> HttpResponse:
    if upload.state != UploadState.JUDGED:
        where = f"{settings.TIEBREAK_URL}{reverse('upload', args=[upload.pk])}"
        shown = f"The reports are stored; the verdict will be at {where}\n"
        return HttpResponse(shown, status=202, content_type="text/plain; charset=utf-8")
    verdict = current_verdict(upload.run)
    response = HttpResponse(
        verdict_text(verdict.document),
        status=FAILED if verdict.document["exit_code"] else 201,
        content_type="text/plain; charset=utf-8",
    )
    response["X-Tiebreak-Verdict"] = verdict.conclusion
    return response
