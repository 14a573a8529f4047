"""Datadog's intake of JUnit reports: one form per file, chunked, the report gzipped.

The uploader takes 400 and 403 for a refusal and everything else for a success, so no other status
refuses here. https://github.com/DataDog/datadog-ci
"""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, JsonResponse

from triage.api.taking import take_in
from triage.doors.bodies import Fields, form_of, json_object, member, number, text
from triage.doors.door import door, token_of
from triage.doors.places import place_of_run, repo_of_remote
from triage.errors import NoFilesError, TiebreakError
from triage.parse.upload import UploadedFile
from triage.upload.callers import Caller
from triage.upload.refs import read_ref
from triage.upload.submission import Submission

REPORT = "junit_xml_report_file"
EVENT = "event"
# What the uploader believes, by what would be said; what may go well later stays as it is.
STATUSES: Mapping[int, int] = {401: 403, 403: 403, 503: 503}
# Spellings of versions 1 to 5.
HEAD = ("git.commit.head.sha", "git.commit.head_sha", "git.commit.sha")


def _refusal(error: TiebreakError) -> HttpResponse:
    return JsonResponse({"errors": [str(error)]}, status=STATUSES.get(error.status, 400))


@door("POST", _refusal)
def upload(request: HttpRequest) -> HttpResponse:
    """Take one report with the event that says where it comes from."""
    caller = _token(request)
    fields, files = form_of(request)
    reports = tuple(UploadedFile(each.name, each.read()) for each in files.getlist(REPORT))
    if not reports:
        raise NoFilesError(f"no report file was sent in the field {REPORT!r}")
    event = files.get(EVENT)
    told = json_object(event.read() if event else fields.get(EVENT, "").encode(), EVENT)
    take_in(_submission(told, reports, caller), caller, 0)
    return JsonResponse({}, status=202)


@door("POST", _refusal)
def search_commits(request: HttpRequest) -> HttpResponse:
    """Claim to know every commit, so that no history of the repository is sent."""
    _token(request)
    return JsonResponse({"data": json_object(request.body).get("data", [])})


@door("GET", _refusal)
def validate(request: HttpRequest) -> HttpResponse:
    """Say that a key is known."""
    _token(request)
    return JsonResponse({"valid": True})


def _token(request: HttpRequest) -> Caller:
    return token_of(request, request.headers.get("DD-API-KEY", ""))


def _submission(event: Fields, files: tuple[UploadedFile, ...], caller: Caller) -> Submission:
    # Version 1 sent everything flat.
    told = {**event, **member(event, "metadata")}
    place = place_of_run(text(told, "ci.pipeline.url"))
    ref = read_ref(text(told, "git.branch"))
    sha = text(told, *HEAD).lower()
    tested = text(told, "git.commit.sha").lower()
    return Submission(
        repo=repo_of_remote(text(told, "git.repository_url")) or caller.repository.full_name,
        sha=sha,
        files=files,
        branch=ref.branch,
        pr=number(told, "pr.number", "git.pull_request.number") or ref.pr,
        base_sha=text(told, "git.pull_request.base_branch_sha").lower(),
        run_id=place.run_id or text(told, "ci.pipeline.id"),
        attempt=place.attempt or 1,
        job=text(told, "ci.job.name"),
        merge_sha=tested if tested != sha else "",
    )
