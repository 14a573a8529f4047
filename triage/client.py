"""Tiebreak's side in CI: one file, standard library only, Python 3.8 or newer.

    python tiebreak.py upload junit.xml --gate
    python tiebreak.py second-pass junit.xml -- pytest {tests} --junitxml={report}
    python tiebreak.py finish --gate
    python tiebreak.py annotate verdict.json

The same file is a pytest plugin: ``python -m pytest -p tiebreak`` gives tests the fixture ``llm``.
"""

from __future__ import annotations

import argparse
import glob
import gzip
import hashlib
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__version__ = "0.1.0"

PASSED, BLOCKED, BAD_INPUT, ON_HOLD = 0, 1, 2, 3

Environment = Mapping[str, str]
Document = Dict[str, Any]


class ClientError(Exception):
    """Something that the caller has to mend; the message says what and how."""


class UnreachableError(ClientError):
    """The server gave no answer that could be used: no verdict, and no fault of the caller."""


# --- Where in CI this is -------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """What one leg of a CI run is called; every field is text, empty where it is not known."""

    repo: str = ""
    sha: str = ""
    branch: str = ""
    pr: str = ""
    base_branch: str = ""
    base_sha: str = ""
    run_id: str = ""
    attempt: str = "1"
    job: str = ""
    part: str = ""
    system: str = ""
    # A pull request from another repository: CI keeps its secrets from it.
    is_fork: bool = False
    # Which repeat of a second pass, from 1; 0 is the run itself.
    repeat: int = 0

    @property
    def part_name(self) -> str:
        """What the server calls this leg in its plan of a second pass."""
        return f"{self.job} {self.part}".strip()


# Fields that the caller may set, as an option or in the environment as TIEBREAK_<NAME>.
TOLD = {
    "repo": "OWNER/NAME",
    "sha": "commit that was tested; on a pull request its head",
    "branch": "branch of the commit",
    "pr": "number of the pull request",
    "base_sha": "commit that the pull request starts from",
    "run_id": "what all legs of one CI run share",
    "attempt": "how often CI has started the run, from 1",
    "job": "name of the job",
    "part": "leg of the run as i/n, such as 2/4",
}


@dataclass(frozen=True)
class System:
    """A CI system: how it is recognised, and which of its variables tell what.

    ``marks`` are variables of which one is set, or ``NAME=VALUE``. Among the variables of a field
    the first one that is set counts.
    """

    name: str
    marks: tuple[str, ...]
    repo: tuple[str, ...] = ()
    sha: tuple[str, ...] = ()
    branch: tuple[str, ...] = ()
    pr: tuple[str, ...] = ()
    base_branch: tuple[str, ...] = ()
    base_sha: tuple[str, ...] = ()
    run_id: tuple[str, ...] = ()
    attempt: tuple[str, ...] = ()
    job: tuple[str, ...] = ()
    # Variables of the leg's position and of the number of legs.
    position: str = ""
    total: str = ""
    counts_from: int = 1
    # What the first attempt is called.
    first_attempt: int = 1
    # What else has to be read, where variables do not tell all.
    complete: Callable[[Place, Environment], Place] = lambda place, env: place


def _github(place: Place, env: Environment) -> Place:
    """Read the event, since the commit that GitHub names on a pull request is a merge."""
    event = _read_json(env.get("GITHUB_EVENT_PATH", ""))
    pull = event.get("pull_request") or {}
    queue = event.get("merge_group") or {}
    if queue:
        return replace(
            place,
            base_branch=_branch(str(queue.get("base_ref") or "")),
            base_sha=str(queue.get("base_sha") or ""),
        )
    if not pull and not place.pr:
        return place
    head = pull.get("head") or {}
    base = pull.get("base") or {}
    return replace(
        place,
        sha=str(head.get("sha") or _git("rev-parse", "HEAD^2") or place.sha),
        pr=str(pull.get("number") or place.pr),
        base_sha=str(base.get("sha") or ""),
        is_fork=_name_of(head) != _name_of(base),
    )


def _name_of(side: Mapping[str, Any]) -> str:
    return str((side.get("repo") or {}).get("full_name") or "")


def _circleci(place: Place, env: Environment) -> Place:
    owner, name = env.get("CIRCLE_PROJECT_USERNAME"), env.get("CIRCLE_PROJECT_REPONAME")
    return replace(place, repo=f"{owner}/{name}") if owner and name else place


def _azure(place: Place, env: Environment) -> Place:
    """A repository of Azure itself is named without its project."""
    project = env.get("SYSTEM_TEAMPROJECT", "").replace(" ", "-")
    if place.repo and "/" not in place.repo and project:
        return replace(place, repo=f"{project}/{place.repo}")
    return place


def _travis(place: Place, env: Environment) -> Place:
    """TRAVIS_BRANCH is the target of a pull request, and the branch itself otherwise."""
    return place if place.pr else replace(place, base_branch="")


def _drone(place: Place, env: Environment) -> Place:
    return place if place.pr else replace(place, base_branch="")


def _teamcity(place: Place, env: Environment) -> Place:
    """Read the properties of the build: the environment names neither branch nor pull request."""
    told = _properties(env.get("TEAMCITY_BUILD_PROPERTIES_FILE", ""))
    told.update(_properties(told.get("teamcity.configuration.properties.file", "")))
    source = told.get("teamcity.pullRequest.source.branch", "")
    run_id = f"{env.get('TEAMCITY_BUILDCONF_NAME', '')} {env.get('BUILD_NUMBER', '')}".strip()
    return replace(
        place,
        branch=_branch(source or told.get("teamcity.build.branch", "")),
        pr=place.pr or _number(told.get("teamcity.pullRequest.number", "")),
        base_branch=_branch(told.get("teamcity.pullRequest.target.branch", "")),
        run_id=told.get("teamcity.build.id", "") or run_id,
    )


SYSTEMS = (
    System(
        "GitHub Actions",
        ("GITHUB_ACTIONS",),
        repo=("GITHUB_REPOSITORY",),
        sha=("GITHUB_SHA",),
        branch=("GITHUB_HEAD_REF", "GITHUB_REF_NAME"),
        pr=("GITHUB_REF",),
        base_branch=("GITHUB_BASE_REF",),
        run_id=("GITHUB_RUN_ID",),
        attempt=("GITHUB_RUN_ATTEMPT",),
        job=("GITHUB_JOB",),
        # GitHub tells a leg its number in an expression only, which the workflow passes on.
        position="TIEBREAK_JOB_INDEX",
        total="TIEBREAK_JOB_TOTAL",
        counts_from=0,
        complete=_github,
    ),
    System(
        "GitLab CI",
        ("GITLAB_CI",),
        repo=("CI_PROJECT_PATH",),
        sha=("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "CI_COMMIT_SHA"),
        branch=("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME"),
        pr=("CI_MERGE_REQUEST_IID",),
        base_branch=("CI_MERGE_REQUEST_TARGET_BRANCH_NAME",),
        base_sha=("CI_MERGE_REQUEST_DIFF_BASE_SHA",),
        run_id=("CI_PIPELINE_ID",),
        job=("CI_JOB_NAME",),
        position="CI_NODE_INDEX",
        total="CI_NODE_TOTAL",
    ),
    System(
        "CircleCI",
        ("CIRCLECI",),
        repo=("CIRCLE_REPOSITORY_URL",),
        sha=("CIRCLE_SHA1",),
        branch=("CIRCLE_BRANCH",),
        pr=("CIRCLE_PULL_REQUEST", "CIRCLE_PR_NUMBER"),
        run_id=("CIRCLE_WORKFLOW_ID",),
        job=("CIRCLE_JOB",),
        position="CIRCLE_NODE_INDEX",
        total="CIRCLE_NODE_TOTAL",
        counts_from=0,
        complete=_circleci,
    ),
    System(
        "Buildkite",
        ("BUILDKITE",),
        repo=("BUILDKITE_REPO",),
        sha=("BUILDKITE_COMMIT",),
        branch=("BUILDKITE_BRANCH",),
        pr=("BUILDKITE_PULL_REQUEST",),
        base_branch=("BUILDKITE_PULL_REQUEST_BASE_BRANCH",),
        run_id=("BUILDKITE_BUILD_ID",),
        attempt=("BUILDKITE_RETRY_COUNT",),
        first_attempt=0,
        job=("BUILDKITE_LABEL", "BUILDKITE_STEP_KEY"),
        position="BUILDKITE_PARALLEL_JOB",
        total="BUILDKITE_PARALLEL_JOB_COUNT",
        counts_from=0,
    ),
    System(
        "Jenkins",
        ("JENKINS_URL",),
        repo=("GIT_URL", "GIT_URL_1"),
        sha=("ghprbActualCommit", "GIT_COMMIT"),
        branch=("CHANGE_BRANCH", "ghprbSourceBranch", "BRANCH_NAME", "GIT_BRANCH"),
        pr=("CHANGE_ID", "ghprbPullId"),
        base_branch=("CHANGE_TARGET", "ghprbTargetBranch"),
        run_id=("BUILD_TAG", "BUILD_URL"),
        job=("STAGE_NAME", "JOB_NAME"),
    ),
    System(
        "Azure Pipelines",
        ("TF_BUILD", "SYSTEM_TEAMFOUNDATIONCOLLECTIONURI"),
        repo=("BUILD_REPOSITORY_NAME", "BUILD_REPOSITORY_URI"),
        sha=("SYSTEM_PULLREQUEST_SOURCECOMMITID", "BUILD_SOURCEVERSION"),
        branch=("SYSTEM_PULLREQUEST_SOURCEBRANCH", "BUILD_SOURCEBRANCH"),
        pr=("SYSTEM_PULLREQUEST_PULLREQUESTNUMBER", "SYSTEM_PULLREQUEST_PULLREQUESTID"),
        base_branch=("SYSTEM_PULLREQUEST_TARGETBRANCH",),
        run_id=("BUILD_BUILDID",),
        attempt=("SYSTEM_JOBATTEMPT",),
        job=("SYSTEM_JOBNAME",),
        position="SYSTEM_JOBPOSITIONINPHASE",
        total="SYSTEM_TOTALJOBSINPHASE",
        complete=_azure,
    ),
    System(
        "Bitbucket Pipelines",
        ("BITBUCKET_BUILD_NUMBER",),
        repo=("BITBUCKET_REPO_FULL_NAME",),
        sha=("BITBUCKET_COMMIT",),
        branch=("BITBUCKET_BRANCH",),
        pr=("BITBUCKET_PR_ID",),
        base_branch=("BITBUCKET_PR_DESTINATION_BRANCH",),
        base_sha=("BITBUCKET_PR_DESTINATION_COMMIT",),
        run_id=("BITBUCKET_PIPELINE_UUID",),
        attempt=("BITBUCKET_STEP_RUN_NUMBER",),
        # A step's UUID is another one in every attempt, so it names no leg.
        position="BITBUCKET_PARALLEL_STEP",
        total="BITBUCKET_PARALLEL_STEP_COUNT",
        counts_from=0,
    ),
    System(
        "Travis CI",
        ("TRAVIS",),
        repo=("TRAVIS_REPO_SLUG",),
        sha=("TRAVIS_PULL_REQUEST_SHA", "TRAVIS_COMMIT"),
        branch=("TRAVIS_PULL_REQUEST_BRANCH", "TRAVIS_BRANCH"),
        pr=("TRAVIS_PULL_REQUEST",),
        base_branch=("TRAVIS_BRANCH",),
        run_id=("TRAVIS_BUILD_ID",),
        job=("TRAVIS_JOB_NAME", "TRAVIS_JOB_ID"),
        complete=_travis,
    ),
    System(
        "TeamCity",
        ("TEAMCITY_VERSION",),
        sha=("BUILD_VCS_NUMBER",),
        job=("TEAMCITY_BUILDCONF_NAME",),
        complete=_teamcity,
    ),
    System(
        "Drone",
        ("DRONE",),
        repo=("DRONE_REPO",),
        sha=("DRONE_COMMIT_SHA",),
        branch=("DRONE_SOURCE_BRANCH", "DRONE_BRANCH"),
        pr=("DRONE_PULL_REQUEST",),
        base_branch=("DRONE_TARGET_BRANCH",),
        run_id=("DRONE_BUILD_NUMBER",),
        job=("DRONE_STAGE_NAME", "DRONE_STEP_NAME"),
        complete=_drone,
    ),
    System(
        "Woodpecker",
        ("CI=woodpecker",),
        repo=("CI_REPO",),
        sha=("CI_COMMIT_SHA",),
        branch=("CI_COMMIT_SOURCE_BRANCH", "CI_COMMIT_BRANCH"),
        pr=("CI_COMMIT_PULL_REQUEST",),
        base_branch=("CI_COMMIT_TARGET_BRANCH",),
        run_id=("CI_PIPELINE_NUMBER",),
        # The first attempt has none, and then they count from 1.
        attempt=("CI_PIPELINE_RERUNS",),
        first_attempt=0,
        job=("CI_WORKFLOW_NAME", "CI_STEP_NAME"),
    ),
)


def find_place(env: Environment) -> Place:
    """Return where in CI this is: what the caller told, then what CI tells, then what git knows."""
    system = next((each for each in SYSTEMS if _is_on(each, env)), None)
    place = _place_on(system, env) if system else Place()
    told = {name: env.get(f"TIEBREAK_{name.upper()}", "").strip() for name in TOLD}
    given: dict[str, Any] = {name: value for name, value in told.items() if value}
    place = replace(place, **given)
    return _from_git(place)


def require_place(place: Place) -> Place:
    """Return a place of which enough is known to upload."""
    for name, remedy in (("repo", "acme/support-bot"), ("sha", "$(git rev-parse HEAD)")):
        if not getattr(place, name):
            raise ClientError(
                f"{name} is not known: no CI system that tells it was recognised; "
                f"give --{name} {remedy} or set TIEBREAK_{name.upper()}"
            )
    return place


def _is_on(system: System, env: Environment) -> bool:
    for mark in system.marks:
        name, _, value = mark.partition("=")
        told = env.get(name, "")
        if told == value if value else told:
            return True
    return False


def _place_on(system: System, env: Environment) -> Place:
    first = {
        name: next((env[each] for each in getattr(system, name) if env.get(each)), "")
        for name in ("repo", "sha", "branch", "pr", "base_branch", "base_sha", "run_id", "job")
    }
    place = Place(
        repo=_repository(first["repo"]),
        sha=first["sha"],
        branch=_branch(first["branch"]),
        pr=_number(first["pr"]),
        base_branch=_branch(first["base_branch"]),
        base_sha=first["base_sha"],
        run_id=first["run_id"],
        attempt=_attempt(system, env),
        job=first["job"],
        part=_part(system, env),
        system=system.name,
    )
    return system.complete(place, env)


def _attempt(system: System, env: Environment) -> str:
    told = next((env[name] for name in system.attempt if env.get(name, "").isdigit()), "")
    return str(max(int(told) + 1 - system.first_attempt, 1)) if told else "1"


def _part(system: System, env: Environment) -> str:
    """Return the leg as i/n; a run of one leg is not divided."""
    position, total = env.get(system.position, ""), env.get(system.total, "")
    if not (position.isdigit() and total.isdigit()) or int(total) < 2:
        return ""
    return f"{int(position) + 1 - system.counts_from}/{int(total)}"


def _repository(told: str) -> str:
    """Return OWNER/NAME out of an address of a repository, or as it is."""
    address = re.sub(r"^[a-z+]+://(?:[^/@]*@)?[^/]+/|^[^/@]+@[^/:]+:", "", told.strip())
    return re.sub(r"(?:\.git)?/*$", "", address).strip("/").replace("/_git/", "/")


def _branch(told: str) -> str:
    return re.sub(r"^(?:refs/heads/|refs/remotes/origin/|origin/)", "", told.strip())


def _number(told: str) -> str:
    """Return the number of a pull request out of "42", "refs/pull/42/merge" or its address."""
    found = re.fullmatch(r"(?:.*/)?(\d+)(?:/(?:merge|head))?/?", told.strip())
    is_branch = told.startswith("refs/") and not told.startswith("refs/pull/")
    return found[1] if found and not is_branch else ""


def _from_git(place: Place) -> Place:
    """Fill what only the checkout knows."""
    if not place.repo:
        remote = _git("config", "--get", "remote.origin.url")
        place = replace(place, repo=_repository(remote))
    if not place.sha:
        place = replace(place, sha=_git("rev-parse", "HEAD"))
    if not place.branch and not place.pr and not place.system:
        place = replace(place, branch=_git("symbolic-ref", "--short", "-q", "HEAD"))
    if not place.base_sha and place.base_branch:
        base = _git("merge-base", "HEAD", f"refs/remotes/origin/{place.base_branch}")
        place = replace(place, base_sha=base)
    return replace(place, sha=place.sha.lower(), base_sha=place.base_sha.lower())


def _git(*arguments: str) -> str:
    """Return what git answers, or nothing where there is no git or no checkout."""
    try:
        answer = subprocess.run(
            ["git", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return answer.stdout.decode("utf-8", "replace").strip()


def _read_json(path: str) -> Document:
    try:
        told = json.loads(Path(path).read_text(encoding="utf-8")) if path else {}
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _properties(path: str) -> dict[str, str]:
    """Read a file of Java properties as TeamCity writes it."""
    try:
        lines = Path(path).read_text(encoding="latin-1").splitlines() if path else []
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines if line and line[0] not in "#!")
    return {name.strip(): re.sub(r"\\(.)", r"\1", value.strip()) for name, _, value in pairs}


# --- Report files --------------------------------------------------------------------------------

# Smaller ones gain nothing by it.
COMPRESSED_FROM = 64 * 1024


@dataclass(frozen=True)
class ReportFile:
    """A report as it is sent."""

    name: str
    body: bytes


def find_files(patterns: Sequence[str]) -> list[Path]:
    """Return the report files that paths, globs and folders name, each once."""
    found: dict[Path, None] = {}
    for pattern in patterns:
        matches = [Path(each) for each in sorted(glob.glob(pattern, recursive=True))]
        # A name may hold the characters of a glob, such as report[1].xml.
        for match in matches or ([Path(pattern)] if Path(pattern).exists() else []):
            files = sorted(match.rglob("*.xml")) if match.is_dir() else [match]
            found.update(dict.fromkeys(files))
    return list(found)


def require_files(patterns: Sequence[str]) -> list[ReportFile]:
    """Return the reports; raise where there is none, since then nothing was tested."""
    paths = find_files(patterns)
    if not paths:
        raise ClientError(
            f"no file matches {', '.join(patterns)} in {Path.cwd()}: the test run wrote no report, "
            "or the path is wrong (pytest writes one with --junitxml=junit.xml)"
        )
    return [_report_file(path) for path in paths]


def _report_file(path: Path) -> ReportFile:
    try:
        body = path.read_bytes()
    except OSError as error:
        raise ClientError(f"{path} cannot be read: {error.strerror}") from error
    if len(body) >= COMPRESSED_FROM:
        return ReportFile(f"{path.as_posix()}.gz", gzip.compress(body, mtime=0))
    return ReportFile(path.as_posix(), body)


def form(fields: Mapping[str, str], files: Sequence[ReportFile]) -> tuple[bytes, str]:
    """Return a multipart body and its content type."""
    boundary = uuid.uuid4().hex
    pieces: list[bytes] = []
    for name, value in fields.items():
        pieces += [_part_head(boundary, f'name="{name}"'), value.encode(), b"\r\n"]
    for file in files:
        # A quote or a line break in a name would end the header.
        name = re.sub(r'["\\\r\n]', "_", file.name)
        head = _part_head(boundary, f'name="files"; filename="{name}"', is_file=True)
        pieces += [head, file.body, b"\r\n"]
    pieces.append(f"--{boundary}--\r\n".encode())
    return b"".join(pieces), f"multipart/form-data; boundary={boundary}"


def _part_head(boundary: str, disposition: str, *, is_file: bool = False) -> bytes:
    kind = "Content-Type: application/octet-stream\r\n" if is_file else ""
    head = f"--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n{kind}\r\n"
    return head.encode("utf-8", "surrogateescape")


# --- The server ----------------------------------------------------------------------------------

# The server holds a request for as long as this, and is asked again.
LONGEST_WAIT_S = 60
ANSWER_S = 30
RETRIED = frozenset({429, 502, 503, 504})
LONGEST_PAUSE_S = 60.0
REMEDIES = {
    401: "check the secret that TIEBREAK_TOKEN is set from",
    403: "make a token for this repository and scope with 'tiebreak create_token OWNER/NAME'",
    404: "check TIEBREAK_URL: it is the address of the start page, without /api",
    413: "upload fewer files at once, or only the JUnit XML",
}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follow nothing: a redirect turns an upload into a GET, and would carry the token along."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Return no request, so that the answer is an error that names the new address."""


@dataclass
class Server:
    """The one door to the server: what may be tried again is, everything else is a problem."""

    url: str
    token: str
    # How long to go on trying, all requests together.
    retry_s: float = 60.0

    def __post_init__(self) -> None:
        self._opener = urllib.request.build_opener(_NoRedirects())
        self._deadline = time.monotonic() + self.retry_s

    def upload(self, place: Place, files: Sequence[ReportFile], wait_s: float) -> Document:
        """Store reports, and return the verdict or, when the time is up, what is known so far."""
        body, kind = form(_fields(place), files)
        until = time.monotonic() + wait_s
        answer = self._ask("/api/v1/uploads", until, body, kind)
        while answer.get("status") == "pending" and time.monotonic() < until:
            answer = self._ask(str(answer["upload"]["url"]), until)
        return answer

    def finish(self, place: Place) -> Document:
        """Say that no further part comes, and return the verdict."""
        told = {
            name: value for name, value in _fields(place).items() if name not in ("job", "part")
        }
        body = json.dumps(told).encode()
        return self._send("/api/v1/runs/complete", ANSWER_S, body, "application/json")

    def read_run(self, number: str) -> Document:
        """Return the verdict of a run."""
        return self._send(f"/api/v1/runs/{number}", ANSWER_S)

    def _ask(self, path: str, until: float, body: bytes | None = None, kind: str = "") -> Document:
        wait = min(max(until - time.monotonic(), 0.0), LONGEST_WAIT_S)
        return self._send(f"{path}?wait={wait:.0f}", wait + ANSWER_S, body, kind)

    def _send(
        self, path: str, timeout_s: float, body: bytes | None = None, kind: str = ""
    ) -> Document:
        """Send until there is an answer; a refusal is one."""
        tries = 0
        while True:
            tries += 1
            try:
                return self._send_once(path, timeout_s, body, kind)
            except _RetryError as error:
                pause = error.pause_s if error.pause_s is not None else float(min(2**tries, 30))
                if time.monotonic() + pause > self._deadline:
                    raise UnreachableError(f"{error} (tried {tries} times)") from error
                note(f"{error}; trying again in {pause:.0f} s")
                time.sleep(pause)

    def _send_once(self, path: str, timeout_s: float, body: bytes | None, kind: str) -> Document:
        request = urllib.request.Request(self._address(path), body)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("User-Agent", f"tiebreak-client/{__version__}")
        request.add_header("Accept", "application/json")
        if body is not None:
            request.add_header("Content-Type", kind)
        try:
            with self._opener.open(request, timeout=timeout_s) as response:
                return self._document(response.read(), response.status)
        except urllib.error.HTTPError as error:
            with error:
                return self._refused(error)
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise _RetryError(f"{self.url} does not answer: {reason}") from error

    def _address(self, path: str) -> str:
        return self.url.rstrip("/") + path

    def _refused(self, error: urllib.error.HTTPError) -> Document:
        if 300 <= error.code < 400:
            target = error.headers.get("Location", "another address")
            raise ClientError(
                f"{self.url} redirects to {target}; set TIEBREAK_URL to where that leads"
            )
        told = _json_object(error.read()).get("error") or {}
        message = told.get("message") or f"it answered {error.code} {error.reason}"
        if error.code in RETRIED or (error.code >= 500 and not told):
            raise _RetryError(f"{self.url}: {message}", _pause(error.headers.get("Retry-After")))
        if error.code >= 500:
            raise UnreachableError(f"{self.url}: {message}")
        remedy = REMEDIES.get(error.code)
        place = f" ({told['file']})" if told.get("file") else ""
        raise ClientError(
            f"the server refused it with {error.code}: {message}{place}"
            + (f"; {remedy}" if remedy else "")
        )

    def _document(self, body: bytes, status: int) -> Document:
        told = _json_object(body)
        if not told:
            raise ClientError(
                f"{self.url} answered {status} and no JSON, so it is no Tiebreak server; "
                f"{REMEDIES[404]}"
            )
        return told


class _RetryError(Exception):
    """An answer, or none, after which the same may be sent again."""

    def __init__(self, message: str, pause_s: float | None = None) -> None:
        super().__init__(message)
        self.pause_s = pause_s


def _pause(told: str | None) -> float | None:
    """Return the seconds of Retry-After; a date or nonsense leaves the pause to us."""
    try:
        seconds = float(told or "")
    except ValueError:
        return None
    return min(max(seconds, 0.0), LONGEST_PAUSE_S) if math.isfinite(seconds) else None


def _json_object(body: bytes) -> Document:
    try:
        told = json.loads(body.decode("utf-8"))
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


# The server takes a repeat as a further attempt of the run, in order. CI counts attempts as well,
# so each of CI's keeps room behind it: 1 has the repeats 2, 3, 4 …; CI's second attempt is 101.
ATTEMPTS_APART = 100


def _fields(place: Place) -> dict[str, str]:
    told = {name: getattr(place, name) for name in TOLD if getattr(place, name)}
    if not re.fullmatch(r"[1-9]\d{0,6}", place.attempt):
        raise ClientError(f"attempt must be a number from 1, got {place.attempt!r}")
    told["attempt"] = str((int(place.attempt) - 1) * ATTEMPTS_APART + 1 + place.repeat)
    return told


def connect(env: Environment, place: Place) -> Server:
    """Return the server that the environment names, with a token for it."""
    url = env.get("TIEBREAK_URL", "").strip()
    if not re.match(r"https?://[^/\s]", url):
        shown = f", got {url!r}" if url else ""
        raise ClientError(
            f"TIEBREAK_URL must be the address of the server, such as https://tiebreak.example.com{shown}"
        )
    token = env.get("TIEBREAK_TOKEN", "").strip() or _identity_token(env, url)
    if not token and place.is_fork:
        raise UnreachableError(
            "no token: CI keeps its secrets from a pull request of a fork, so nothing was uploaded"
        )
    if not token:
        raise ClientError(
            "TIEBREAK_TOKEN is not set; make a token with 'tiebreak create_token "
            f"{place.repo or 'OWNER/NAME'}' and store it as a secret of CI"
        )
    if not re.fullmatch(r"[!-~]+", token):
        raise ClientError("TIEBREAK_TOKEN holds blanks or other characters that no token has")
    return Server(url, token, float(env.get("TIEBREAK_RETRY_S", "") or 60))


def _identity_token(env: Environment, audience: str) -> str:
    """Ask GitHub for a token that says which workflow this is; permission id-token: write."""
    address = env.get("ACTIONS_ID_TOKEN_REQUEST_URL", "")
    secret = env.get("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "")
    if not (address and secret):
        return ""
    query = urllib.parse.urlencode({"audience": audience.rstrip("/")})
    request = urllib.request.Request(f"{address}{'&' if '?' in address else '?'}{query}")
    request.add_header("Authorization", f"Bearer {secret}")
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_S) as response:
            return str(_json_object(response.read()).get("value") or "")
    except OSError as error:
        raise UnreachableError(f"GitHub gave no identity token: {error}") from error


# --- Telling people ------------------------------------------------------------------------------

# An escape sequence in the name of a test must not reach a terminal, nor turn its text around.
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
BLOCKING = frozenset({"label_regression", "regression", "over_budget"})
HOLDING = frozenset({"near_tie", "undecided"})
MOST_SHOWN = 50
# GitHub shows ten of each level per step and drops the rest without a word.
MOST_ANNOTATIONS = 10
# GitHub refuses a summary of more than a mebibyte.
MOST_ROWS = 200


def say(text: str) -> None:
    """Write a line for people."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """Write a line beside the result."""
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(f"tiebreak: {text}".encode(encoding, "replace").decode(encoding) + "\n")
    sys.stderr.flush()


def warn_loudly(text: str, env: Environment) -> None:
    """Warn so that it is seen in the log of a job that stays green."""
    if env.get("GITHUB_ACTIONS"):
        say(f"::warning title=Tiebreak gave no verdict::{_data(text)}")
    note(f"{'!' * 72}\nWARNING: {text}\n{'!' * 72}")


def printable(value: object) -> str:
    """Return text on one line that does nothing to a terminal."""
    return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", re.sub(r"\s+", " ", str(value))).strip()


def show(verdict: Document) -> None:
    """Print a verdict with its findings, those that decide first."""
    headline = verdict.get("headline") or {}
    say(printable(f"{headline.get('icon', '')} {headline.get('text') or verdict['conclusion']}"))
    findings = verdict.get("findings") or []
    for each in findings[:MOST_SHOWN]:
        say(f"\n{printable(each['finding']).upper()}  {printable(each['case'])}")
        say(f"    {printable(each.get('reason') or '')}")
        if each.get("next_step"):
            say(f"    → {printable(each['next_step'])}")
    if len(findings) > MOST_SHOWN:
        say(f"\n… and {len(findings) - MOST_SHOWN} more.")
    for warning in verdict.get("warnings") or []:
        say(f"\n! {printable(warning)}")
    say(f"\n{printable(verdict.get('url') or '')}")


def annotation_lines(verdict: Document) -> Iterator[str]:
    """Yield GitHub's annotation lines for the findings that block or hold."""
    levels = (("error", BLOCKING), ("warning", HOLDING))
    for level, kinds in levels:
        found = [each for each in verdict.get("findings") or [] if each["finding"] in kinds]
        shown = found if len(found) <= MOST_ANNOTATIONS else found[: MOST_ANNOTATIONS - 1]
        for each in shown:
            yield _annotation(level, each)
        if len(shown) < len(found):
            rest = f"{len(found) - len(shown)} more are on {verdict.get('url')}"
            yield f"::{level} title=Tiebreak::{_data(rest)}"


def _annotation(level: str, finding: Document) -> str:
    title = f"{finding['finding'].replace('_', ' ')}: {finding['case']}"
    told = {"title": printable(title)[:250]}
    path = file_of_title(str(finding["case"]))
    if path:
        told["file"] = path
    properties = ",".join(f"{name}={_property(value)}" for name, value in told.items())
    text = " ".join(printable(finding.get(name) or "") for name in ("reason", "next_step"))
    return f"::{level} {properties}::{_data(text.strip())}"


def _data(text: str) -> str:
    """Escape the message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property of a workflow command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def summary(verdict: Document) -> str:
    """Return the verdict as Markdown for the summary of a job."""
    headline = verdict.get("headline") or {}
    lines = [
        f"### {headline.get('icon', '')} {inert(headline.get('text') or verdict['conclusion'])}"
    ]
    findings = verdict.get("findings") or []
    if findings:
        lines += ["", "| finding | case | expected → observed | why |", "| --- | --- | --- | --- |"]
        lines += [_row(each) for each in findings[:MOST_ROWS]]
    if len(findings) > MOST_ROWS:
        lines += ["", f"… and {len(findings) - MOST_ROWS} more."]
    lines += ["", *(f"- {inert(each)}" for each in verdict.get("warnings") or [])]
    return "\n".join([*lines, "", f"[Full report]({_link(verdict.get('url') or '')})", ""])


def _row(finding: Document) -> str:
    labels = " → ".join(inert(finding.get(name) or "—") for name in ("expected", "observed"))
    is_flip = finding.get("difference") == "label"
    cells = [
        inert(finding["finding"].replace("_", " ")),
        inert(finding["case"]),
        labels if is_flip else "",
        inert(finding.get("reason") or ""),
    ]
    return f"| {' | '.join(cells)} |"


def inert(value: object) -> str:
    """Return text of which Markdown and HTML make nothing: it is shown as it is."""
    return re.sub(r"[!-/:-@\[-`{-~]", lambda found: f"&#{ord(found[0])};", printable(value))


def _link(url: str) -> str:
    return url if re.fullmatch(r"https?://[^\s()<>]+", url) else "#"


def publish_on_github(verdict: Document, env: Environment) -> None:
    """Write annotations into the log and the summary into the page of the job."""
    for line in annotation_lines(verdict):
        say(line)
    _append(env.get("GITHUB_STEP_SUMMARY", ""), summary(verdict))


def write_outputs(verdict: Document, code: int, env: Environment) -> None:
    """Let later steps of a GitHub job read what came out."""
    told = {
        "verdict": verdict.get("conclusion") or verdict.get("status") or "unknown",
        "exit-code": code,
        "url": verdict.get("url") or "",
    }
    lines = "".join(f"{name}={printable(value)}\n" for name, value in told.items())
    _append(env.get("GITHUB_OUTPUT", ""), lines)


def _append(path: str, text: str) -> None:
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


# --- Which tests to repeat -----------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """A case that the server asks to repeat."""

    case: str
    file: str
    classname: str
    name: str
    repeats: int

    @property
    def own_name(self) -> str:
        """The name without parameters: of "check(int)[1]" it is "check"."""
        return re.split(r"[\[({]", self.name, maxsplit=1)[0].strip()


def asked_of(verdict: Document, part_name: str) -> list[Asked]:
    """Return the plan of a verdict, as far as it is about this leg."""
    cases = (verdict.get("second_pass") or {}).get("cases") or []
    return [
        Asked(
            str(each["case"]),
            str(each.get("file") or ""),
            str(each.get("classname") or ""),
            str(each.get("name") or ""),
            int(each["repeats"]),
        )
        for each in cases
        if (each.get("part") or "") == part_name
    ]


def names_for_pytest(cases: Sequence[Asked]) -> list[str]:
    """Return node ids: tests/test_refunds.py::TestRefunds::test_ticket[2]."""
    return [_node_id(each) for each in cases]


def names_for_jest(cases: Sequence[Asked]) -> list[str]:
    """Return one pattern for -t, which is matched with the full name."""
    return ["|".join(f"^{_quoted(each.name)}$" for each in cases)]


def names_for_go(cases: Sequence[Asked]) -> list[str]:
    """Return one pattern for -run: each level of a subtest is matched by itself."""
    levels = [each.name.split("/") for each in cases]
    return ["|".join("/".join(f"^{_quoted(level)}$" for level in each) for each in levels)]


def names_for_maven(cases: Sequence[Asked]) -> list[str]:
    """Return one list for -Dtest: RefundTest#refunds+declines,OtherTest#works."""
    methods: dict[str, dict[str, None]] = {}
    for each in cases:
        methods.setdefault(each.classname, {})[each.own_name] = None
    return [",".join(f"{name}#{'+'.join(tests)}" for name, tests in methods.items())]


def names_for_rspec(cases: Sequence[Asked]) -> list[str]:
    """Return files, and each example by its full description."""
    files = dict.fromkeys(each.file or f"{each.classname.replace('.', '/')}.rb" for each in cases)
    return [*files, *(word for each in cases for word in ("-e", each.name))]


# How each runner is told which tests to run, and what its command is known by.
RUNNERS: dict[str, tuple[Callable[[Sequence[Asked]], list[str]], tuple[str, ...]]] = {
    "jest": (names_for_jest, ("jest",)),
    "go": (names_for_go, ("go", "gotestsum")),
    "maven": (names_for_maven, ("mvn", "mvnw")),
    "rspec": (names_for_rspec, ("rspec",)),
    "pytest": (names_for_pytest, ("pytest", "py.test")),
}


def runner_of(command: Sequence[str]) -> str:
    """Return the runner that a command calls; pytest where none is recognised."""
    words = {Path(word).name for word in command}
    return next((name for name, (_, known) in RUNNERS.items() if words & set(known)), "pytest")


def fill(command: Sequence[str], tests: Sequence[str], report: str) -> list[str]:
    """Return the command with {tests} and {report} put in; a word that is {tests} may be many."""
    filled: list[str] = []
    for word in command:
        if word == "{tests}":
            filled += tests
        else:
            filled.append(word.replace("{tests}", " ".join(tests)).replace("{report}", report))
    return filled


def file_of_title(title: str) -> str:
    """Return the file that a case's title begins with, if it is in this checkout."""
    where = title.split("::", 1)[0]
    return where if Path(where).is_file() else _split_module(where)[0]


def _node_id(case: Asked) -> str:
    if case.file:
        module = re.sub(r"\.py$", "", case.file).replace("/", ".")
        classes = case.classname[len(module) :] if case.classname.startswith(module) else ""
        return "::".join([case.file, *filter(None, classes.split(".")), case.name])
    path, classes = _split_module(case.classname)
    if not path:
        raise ClientError(
            f"no test file belongs to {case.classname!r} in {Path.cwd()}; run this in pytest's "
            "root folder, or write the file into the report with -o junit_family=xunit1"
        )
    return "::".join([path, *filter(None, classes.split(".")), case.name])


def _split_module(classname: str) -> tuple[str, str]:
    """Return the file of a dotted name, and the classes behind it."""
    names = classname.split(".")
    for length in range(len(names), 0, -1):
        path = Path(*names[:length]).with_suffix(".py") if all(names[:length]) else Path()
        if path.is_file():
            return path.as_posix(), ".".join(names[length:])
    return "", ""


def _quoted(text: str) -> str:
    """Quote for the patterns of JavaScript and Go, which know fewer escapes than Python."""
    return re.sub(r"[\\^$.|?*+()\[\]{}]", lambda found: f"\\{found[0]}", text)


# --- Commands ------------------------------------------------------------------------------------

FAILED_WORDS = {"success": 0, "skipped": 0, "failure": 1, "cancelled": 1}
SHOWS_NO_FAILURE = (
    "the test runner failed, and its report shows no failure: it broke off before or after the "
    "tests, or the report is an old one; look at the runner's log"
)


def upload(options: argparse.Namespace, env: Environment) -> int:
    """Send reports, show the verdict, and return the exit code."""
    files = require_files(options.files)
    place = require_place(find_place(env))
    verdict = connect(env, place).upload(place, files, options.wait)
    return conclude(verdict, options, env)


def finish(options: argparse.Namespace, env: Environment) -> int:
    """Say that the run is complete, show its verdict, and return the exit code."""
    place = require_place(find_place(env))
    return conclude(connect(env, place).finish(place), options, env)


def annotate(options: argparse.Namespace, env: Environment) -> int:
    """Write annotations and a summary of a verdict that was kept, or that the server has."""
    if options.verdict.isdigit():
        verdict = connect(env, find_place(env)).read_run(options.verdict)
    else:
        verdict = _read_json(options.verdict)
    if "conclusion" not in verdict:
        raise ClientError(
            f"{options.verdict} holds no verdict; give the file that 'upload --verdict FILE' "
            "wrote, or the number of a run"
        )
    publish_on_github(verdict, env)
    return PASSED


def second_pass(options: argparse.Namespace, env: Environment) -> int:
    """Repeat what the verdict leaves open, until it leaves nothing open or the most is reached."""
    files = require_files(options.files)
    place = require_place(find_place(env))
    server = connect(env, place)
    first = verdict = server.upload(place, files, options.wait)
    for repeat in range(1, options.most + 1):
        asked = asked_of(require_verdict(verdict, options.wait), place.part_name)
        if not asked or _is_silent_failure(first, options):
            break
        say(f"tiebreak: repeat {repeat}: {len(asked)} of the tests that differed")
        reports, code = run_again(options, asked, repeat, env)
        verdict = server.upload(replace(place, repeat=repeat), reports, options.wait)
        _check_repeat(verdict, asked, place, code, options)
    return conclude(verdict, options, env, first)


def run_again(
    options: argparse.Namespace, asked: Sequence[Asked], repeat: int, env: Environment
) -> tuple[list[ReportFile], int]:
    """Run the command with the tests that are asked for; return its reports and exit code."""
    tests = RUNNERS[options.runner or runner_of(options.command)][0](asked)
    with tempfile.TemporaryDirectory(prefix="tiebreak-") as folder:
        report = str(Path(folder) / "junit.xml")
        command = fill(options.command, tests, report)
        before = _stamps(options.files)
        # Tests are code of whoever changes them, and have no need of the token.
        told = {name: value for name, value in env.items() if name != "TIEBREAK_TOKEN"}
        told["TIEBREAK_REPEAT"] = str(repeat)
        try:
            done = subprocess.run(command, env=told, check=False)
        except OSError as error:
            raise ClientError(f"{command[0]!r} cannot be run: {error.strerror}") from error
        stamps = (
            _stamps([folder]) if "{report}" in " ".join(options.command) else _stamps(options.files)
        )
        fresh = [path for path, stamp in stamps.items() if before.get(path) != stamp]
        if not fresh:
            raise ClientError(
                f"{' '.join(command)!r} ended with {done.returncode} and wrote no report; let it "
                "write one to {report}, or to the files that were uploaded first"
            )
        return [_report_file(path) for path in fresh], done.returncode


def _stamps(patterns: Sequence[str]) -> dict[Path, tuple[int, int]]:
    """Return what tells a report from the one that stood there before."""
    return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in find_files(patterns)}


def _check_repeat(
    verdict: Document,
    asked: Sequence[Asked],
    place: Place,
    code: int,
    options: argparse.Namespace,
) -> None:
    """Raise where a repeat changed nothing, since then no further one would."""
    require_verdict(verdict, options.wait)
    left = {each.case: each.repeats for each in asked_of(verdict, place.part_name)}
    stuck = [each.case for each in asked if left.get(each.case) == each.repeats]
    if stuck and code and _failures(verdict) == 0:
        raise ClientError(f"repeat ended with {code}: {SHOWS_NO_FAILURE}")
    if stuck:
        raise ClientError(
            f"the repeat of {printable(stuck[0])} was not counted: the fresh report does not hold "
            "it under the same name, or this attempt was reported before"
        )


def require_verdict(answer: Document, wait_s: float) -> Document:
    """Return an answer that is a verdict; raise where the server has none yet."""
    if answer.get("status") == "pending":
        raise UnreachableError(
            f"the reports are stored, but there was no verdict within {wait_s:g} s; it will come "
            "on the pull request, or wait longer with --wait"
        )
    return answer


def conclude(
    verdict: Document,
    options: argparse.Namespace,
    env: Environment,
    first: Document | None = None,
) -> int:
    """Show and keep a verdict; return the exit code that it and the options ask for."""
    _keep(verdict, options.verdict)
    code = _code_of(verdict, options, first or verdict)
    write_outputs(verdict, code, env)
    if "conclusion" in verdict:
        show(verdict)
        if options.annotate:
            publish_on_github(verdict, env)
    return code


def _code_of(verdict: Document, options: argparse.Namespace, first: Document) -> int:
    is_silent = _is_silent_failure(first, options)
    if is_silent:
        note(SHOWS_NO_FAILURE)
    if not options.gate:
        return PASSED
    if verdict.get("status") == "failed":
        note("the reports are stored and could not be processed; the page of the upload says why")
        return ON_HOLD
    code = int(require_verdict(verdict, options.wait)["exit_code"])
    return code or (BLOCKED if is_silent else PASSED)


def _is_silent_failure(answer: Document, options: argparse.Namespace) -> bool:
    return options.test_exit_code != 0 and _failures(answer) == 0


def _failures(answer: Document) -> int | None:
    """Return how many failures the uploaded files show; nothing where they were not read yet."""
    reading = (answer.get("upload") or {}).get("reading") or {}
    if not reading.get("files"):
        return None
    return sum((each.get("failed") or 0) + (each.get("errored") or 0) for each in reading["files"])


def _keep(verdict: Document, path: str) -> None:
    if path:
        Path(path).write_text(json.dumps(verdict, indent=2), encoding="utf-8")


# --- Command line --------------------------------------------------------------------------------

EXIT_CODES = """\
exit codes:
  0  passed, or not asked to gate, or no verdict could be had (see --strict)
  1  blocked
  2  bad input: a missing token, a wrong address, no file, a refused upload
  3  on hold: a near tie or something undecided is open

environment:
  TIEBREAK_URL       address of the server
  TIEBREAK_TOKEN     token of the repository; on GitHub an identity token does as well
  TIEBREAK_RETRY_S   seconds for which a server that does not answer is tried again (60)
  TIEBREAK_REPO, _SHA, _BRANCH, _PR, _BASE_SHA, _RUN_ID, _ATTEMPT, _JOB, _PART
                     what CI does not tell, or tells wrongly; each is an option too
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    words, command = _split_command(words)
    options = _parser().parse_args(words)
    told = {f"TIEBREAK_{name.upper()}": getattr(options, name, "") for name in TOLD}
    env = {**os.environ, **{name: value for name, value in told.items() if value}}
    try:
        options.command = _command(command, options.command)
        _check(options)
        return int(options.run(options, env))
    except UnreachableError as error:
        return _without_verdict(error, options, env)
    except ClientError as error:
        note(f"error: {error}")
        return BAD_INPUT


def _without_verdict(error: UnreachableError, options: argparse.Namespace, env: Environment) -> int:
    """Let the job pass without a verdict, unless it is strict or its tests are known to fail."""
    must_fail = options.strict or (options.gate and options.test_exit_code != 0)
    effect = "this step fails" if must_fail else "this step passes without a verdict (see --strict)"
    warn_loudly(f"{error}; {effect}", env)
    return BLOCKED if must_fail else PASSED


def _split_command(words: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def _command(words: list[str], text: str) -> list[str]:
    """Return the words of the command that repeats tests, as they came or out of one text."""
    if words and text:
        raise ClientError("give the command behind -- or with --command, not both")
    try:
        return words or shlex.split(text)
    except ValueError as error:
        raise ClientError(f"the words of the command {text!r} are not clear: {error}") from error


def _check(options: argparse.Namespace) -> None:
    is_second_pass = options.run is second_pass
    if is_second_pass and "{tests}" not in " ".join(options.command):
        raise ClientError(
            "second-pass needs a command with {tests} in it: "
            "second-pass junit.xml -- pytest {tests} --junitxml={report}"
        )
    if options.command and not is_second_pass:
        raise ClientError(f"only second-pass takes a command behind --, got {options.command[0]!r}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tiebreak.py",
        description="Send test reports to Tiebreak, and act on its verdict.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tiebreak.py {__version__}")
    parser.set_defaults(gate=False, strict=False, annotate=False, test_exit_code=0)
    parser.set_defaults(verdict="", wait=0.0, command="")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, dest="name")
    _add_upload(commands)
    _add_finish(commands)
    _add_second_pass(commands)
    _add_annotate(commands)
    return parser


def _add_upload(commands: Any) -> None:
    parser = commands.add_parser("upload", help="send reports and show the verdict")
    parser.add_argument("files", nargs="+", metavar="FILE", help="report, folder or glob")
    _add_verdict_options(parser)
    _add_wait(parser)
    parser.set_defaults(run=upload)


def _add_finish(commands: Any) -> None:
    parser = commands.add_parser("finish", help="say that no further part of the run comes")
    _add_verdict_options(parser)
    parser.set_defaults(run=finish)


def _add_second_pass(commands: Any) -> None:
    parser = commands.add_parser(
        "second-pass",
        help="send reports and repeat the tests that the verdict leaves open",
        usage="tiebreak.py second-pass [options] FILE... -- COMMAND with {tests} and {report}",
        description="{tests} becomes the tests to repeat, as the runner wants to be told; {report} "
        "a fresh file for the report. Without {report} the command has to write FILE anew. The "
        "command sees TIEBREAK_REPEAT with the number of the repeat.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="report of the first pass")
    _add_verdict_options(parser, gates=True)
    _add_wait(parser)
    parser.add_argument(
        "--runner",
        choices=sorted(RUNNERS),
        help="how to write {tests}; else known by the command, or pytest",
    )
    parser.add_argument(
        "--command",
        default="",
        metavar="TEXT",
        help="the command in one text, where it cannot stand behind --",
    )
    parser.add_argument(
        "--most", type=_repeats, default=20, metavar="N", help="most repeats to make (20)"
    )
    parser.set_defaults(run=second_pass)


def _add_annotate(commands: Any) -> None:
    parser = commands.add_parser("annotate", help="write a verdict into GitHub's log and summary")
    parser.add_argument("verdict", metavar="VERDICT", help="file of --verdict, or number of a run")
    _add_strict(parser)
    parser.set_defaults(run=annotate)


def _add_verdict_options(parser: argparse.ArgumentParser, *, gates: bool = False) -> None:
    if gates:
        parser.add_argument(
            "--no-gate", dest="gate", action="store_false", help="exit with 0 whatever the verdict"
        )
        parser.set_defaults(gate=True)
    else:
        parser.add_argument("--gate", action="store_true", help="exit with the verdict's exit code")
    _add_strict(parser)
    parser.add_argument(
        "--test-exit-code",
        type=_exit_code,
        default=0,
        metavar="CODE",
        help="how the test runner ended, as a number or GitHub's outcome: a runner that failed "
        "without a failure in its report is a failure",
    )
    parser.add_argument("--verdict", default="", metavar="FILE", help="keep the verdict as JSON")
    parser.add_argument(
        "--annotate", action="store_true", help="write GitHub annotations and the job's summary"
    )
    told = parser.add_argument_group("where in CI this is, when CI does not tell")
    for name, text in TOLD.items():
        told.add_argument(f"--{name.replace('_', '-')}", default="", help=text)


def _add_wait(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--wait",
        type=_seconds,
        default=60.0,
        metavar="S",
        help="seconds to wait for the verdict (60)",
    )


def _add_strict(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--strict", action="store_true", help="exit with 1 when no verdict can be had, not with 0"
    )


def _seconds(told: str) -> float:
    seconds = float(told)
    if not 0 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"must lie between 0 and 3600 seconds, got {told}")
    return seconds


def _repeats(told: str) -> int:
    repeats = int(told)
    if not 1 <= repeats < ATTEMPTS_APART:
        raise argparse.ArgumentTypeError(f"must lie between 1 and {ATTEMPTS_APART - 1}, got {told}")
    return repeats


def _exit_code(told: str) -> int:
    if told in FAILED_WORDS:
        return FAILED_WORDS[told]
    if not re.fullmatch(r"-?\d+", told or "0"):
        raise argparse.ArgumentTypeError(
            f"must be a number or one of {', '.join(FAILED_WORDS)}, got {told!r}"
        )
    return int(told or "0")


# --- What the answer of a model tells ------------------------------------------------------------


@dataclass(frozen=True)
class Token:
    """A token that was written, with those that were nearly written in its place."""

    text: str
    logprob: float
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Answer:
    """What is read out of a response. Its text is hashed and looked for the label, and not kept."""

    text: str
    response_id: str = ""
    # Names of properties and what they say.
    properties: Mapping[str, str] = field(default_factory=dict)
    tokens: tuple[Token, ...] = ()


def look(source: Any, *path: Any) -> Any:
    """Follow names and positions through objects, mappings and lists; None where it ends."""
    for step in path:
        if source is None:
            return None
        if isinstance(step, int):
            source = (
                source[step] if isinstance(source, (list, tuple)) and len(source) > step else None
            )
        elif isinstance(source, Mapping):
            source = source.get(step)
        else:
            source = getattr(source, step, None)
    return source


def read_answer(response: Any) -> Answer:
    """Read a response of the OpenAI, Anthropic, Google or LiteLLM SDK, or text.

    The shape decides, not the type: a subclass, or the JSON as it came, does as well.
    """
    if isinstance(response, str):
        return Answer(response, properties={"tiebreak.output_sha256": sha256(response)})
    for has_shape, read in READERS:
        if has_shape(response):
            return read(response)
    raise TypeError(
        "llm.record reads responses of openai, anthropic, google-genai and litellm, mappings of "
        f"the same shape, and text, got {type(response).__name__}; of a stream, give the whole text"
    )


def _chat_completion(response: Any) -> Answer:
    """OpenAI's chat completions, and LiteLLM, which answers in their shape."""
    choice = look(response, "choices", 0)
    message = look(choice, "message")
    calls = look(message, "tool_calls") or []
    written = [look(message, "content"), *(look(each, "function", "arguments") for each in calls)]
    return _answer(
        response,
        "".join(str(each) for each in written if each),
        model=look(response, "model"),
        provider=look(response, "_hidden_params", "custom_llm_provider"),
        fingerprint=look(response, "system_fingerprint"),
        input_tokens=look(response, "usage", "prompt_tokens"),
        cached=look(response, "usage", "prompt_tokens_details", "cached_tokens"),
        accepted=look(response, "usage", "completion_tokens_details", "accepted_prediction_tokens"),
        tokens=_openai_tokens(look(choice, "logprobs", "content")),
    )


def _openai_response(response: Any) -> Answer:
    """OpenAI's responses."""
    contents = [
        part
        for item in look(response, "output") or []
        for part in look(item, "content") or []
        if look(part, "text") is not None
    ]
    calls = [look(item, "arguments") for item in look(response, "output") or []]
    tokens = [_openai_tokens(look(part, "logprobs")) for part in contents]
    return _answer(
        response,
        "".join([*(look(part, "text") for part in contents), *filter(None, calls)]),
        model=look(response, "model"),
        input_tokens=look(response, "usage", "input_tokens"),
        cached=look(response, "usage", "input_tokens_details", "cached_tokens"),
        tokens=tuple(token for each in tokens for token in each),
    )


def _anthropic_message(response: Any) -> Answer:
    """Anthropic's messages, whose input tokens leave out those that a cache answered for."""
    written = []
    for block in look(response, "content") or []:
        told = look(block, "text")
        given = look(block, "input")
        written.append(told if told is not None else _canonical(given) if given else "")
    cached = look(response, "usage", "cache_read_input_tokens")
    counted = (
        look(response, "usage", "input_tokens"),
        cached,
        look(response, "usage", "cache_creation_input_tokens"),
    )
    return _answer(
        response,
        "".join(written),
        model=look(response, "model"),
        input_tokens=sum(each or 0 for each in counted),
        cached=cached,
    )


def _google_response(response: Any) -> Answer:
    """Google's generated content."""
    candidate = look(response, "candidates", 0)
    parts = look(candidate, "content", "parts") or []
    written = []
    for part in parts:
        # A thought is no part of the answer.
        if not look(part, "thought"):
            given = look(part, "function_call", "args")
            written.append(look(part, "text") or (_canonical(given) if given else ""))
    return _answer(
        response,
        "".join(written),
        model=look(response, "model_version"),
        response_id=look(response, "response_id"),
        input_tokens=look(response, "usage_metadata", "prompt_token_count"),
        cached=look(response, "usage_metadata", "cached_content_token_count"),
        tokens=_google_tokens(look(candidate, "logprobs_result")),
    )


READERS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Answer]], ...] = (
    (lambda response: look(response, "choices", 0, "message") is not None, _chat_completion),
    (lambda response: look(response, "object") == "response", _openai_response),
    (lambda response: look(response, "type") == "message", _anthropic_message),
    (lambda response: look(response, "candidates") is not None, _google_response),
)
# Modules of SDKs, and what OpenTelemetry calls whom they talk to.
PROVIDERS = {"openai": "openai", "anthropic": "anthropic", "google": "gcp.gen_ai"}


def _answer(
    response: Any,
    text: str,
    *,
    model: Any = None,
    response_id: Any = None,
    provider: Any = None,
    fingerprint: Any = None,
    input_tokens: Any = None,
    cached: Any = None,
    accepted: Any = None,
    tokens: tuple[Token, ...] = (),
) -> Answer:
    told = {
        "gen_ai.response.model": model,
        "gen_ai.provider.name": provider or PROVIDERS.get(type(response).__module__.split(".")[0]),
        "gen_ai.openai.response.system_fingerprint": fingerprint,
        "gen_ai.usage.input_tokens": input_tokens,
        "gen_ai.usage.cache_read.input_tokens": cached,
        "tiebreak.accepted_prediction_tokens": accepted,
        "tiebreak.output_sha256": sha256(text),
    }
    known = {name: str(value) for name, value in told.items() if value is not None}
    return Answer(text, str(response_id or look(response, "id") or ""), known, tokens)


def _openai_tokens(told: Any) -> tuple[Token, ...]:
    return tuple(
        Token(
            str(look(each, "token")),
            float(look(each, "logprob")),
            tuple(
                (str(look(other, "token")), float(look(other, "logprob")))
                for other in look(each, "top_logprobs") or []
            ),
        )
        for each in told or []
    )


def _google_tokens(told: Any) -> tuple[Token, ...]:
    others = look(told, "top_candidates") or []
    return tuple(
        Token(
            str(look(each, "token") or ""),
            float(look(each, "log_probability") or 0.0),
            tuple(
                (str(look(other, "token") or ""), float(look(other, "log_probability") or 0.0))
                for other in look(others, position, "candidates") or []
            ),
        )
        for position, each in enumerate(look(told, "chosen_candidates") or [])
    )


def sha256(text: str) -> str:
    """Return the SHA-256 of text, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _canonical(told: Any) -> str:
    """Return the same text for the same content, whatever it is made of."""
    return json.dumps(told, sort_keys=True, ensure_ascii=False, default=_plain)


def _plain(told: Any) -> Any:
    dump = getattr(told, "model_dump", None)
    return dump(mode="json") if dump else str(told)


# What stands around a label in JSON, Markdown and running text.
AROUND = " \t\r\n\"'`*:{}[](),.\u2581\u0120"


@dataclass(frozen=True)
class LabelEvidence:
    """How sure the model was of the label that it wrote; nothing where it did not tell."""

    confidence: float | None = None
    margin: float | None = None


def label_evidence(
    tokens: Sequence[Token], label: str, labels: Sequence[str] = ()
) -> LabelEvidence:
    """Return the probability of a label and its margin to the next one, in nats.

    The label's last occurrence counts, since an answer ends with what it decides. With a closed
    set the margin is to the nearest other label that a token could have led to; without one it is
    to the nearest other word in the place of the label's first token.
    """
    span = _span(tokens, label)
    if not span:
        return LabelEvidence()
    confidence = min(math.exp(sum(token.logprob for token, _ in span)), 1.0)
    gaps = [
        abs(token.logprob - logprob)
        for token, before in (span if labels else span[:1])
        for text, logprob in token.others
        if text != token.text and _leads_elsewhere(before, text, label, labels)
    ]
    return LabelEvidence(confidence, min(gaps) if gaps else None)


def _span(tokens: Sequence[Token], label: str) -> list[tuple[Token, str]]:
    """Return the tokens that write a label, each with what of the label stands before it."""
    text = "".join(token.text for token in tokens)
    start = text.lower().rfind(label.lower()) if label else -1
    if start < 0:
        return []
    span, at = [], 0
    for token in tokens:
        end = at + len(token.text)
        if at < start + len(label) and end > start:
            span.append((token, text[start:at] if at > start else ""))
        at = end
    return span


def _leads_elsewhere(before: str, text: str, label: str, labels: Sequence[str]) -> bool:
    """Whether another token would have led to another label."""
    written = (before + (text if before else text.lstrip(AROUND))).rstrip(AROUND).lower()
    if not written or label.lower().startswith(written):
        return False
    if not labels:
        return not written.startswith(label.lower())
    others = [each.lower() for each in labels if each.lower() != label.lower()]
    return any(each.startswith(written) or written.startswith(each) for each in others)


# --- The pytest plugin ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """One call as it was recorded."""

    answer: Answer
    expected: str | None
    label: str | None
    confidence: float | None
    margin: float | None

    @property
    def has_label(self) -> bool:
        """Whether anything was said of a label."""
        return self.expected is not None or self.label is not None

    def observation(self) -> Document:
        """Return the call as one entry of tiebreak.observations."""
        told = {
            "id": self.answer.response_id or None,
            "expected": self.expected,
            "observed": self.label,
            "confidence": self.confidence,
            "margin": self.margin,
        }
        return {name: value for name, value in told.items() if value is not None}


class Recorder:
    """The fixture ``llm``: writes what a test tells of its calls into the test's report."""

    def __init__(self, properties: list[tuple[str, object]]) -> None:
        self._properties = properties
        self._calls: list[Call] = []
        self._shared: dict[str, str] = {}
        # A plugin that runs a failed test again keeps what the attempt before it told.
        self._forget()

    def record(
        self,
        response: Any,
        *,
        expected: Any = None,
        label: Any = None,
        confidence: float | None = None,
        margin: float | None = None,
        labels: Sequence[Any] = (),
        request: Mapping[str, Any] | None = None,
        prompt: Any = None,
        assertion: str = "",
    ) -> Any:
        """Record one call, and return its response.

        Record before asserting: what a failed assertion leaves unsaid is not in the report.

        Parameters
        ----------
        response : response of an SDK, mapping of the same shape, or text
            Its text is hashed and never stored. One request that asks for several choices counts
            as one call, its first choice.
        expected, label : str, enum member or bool, optional
            The label that is right, and the one that the test parsed out of the answer.
        confidence : float in [0, 1], optional
            Probability of the label; else read out of the log-probabilities, where the response
            has some.
        margin : float from 0, in nats, optional
            Gap of log-probability between the two best labels; else read likewise.
        labels : sequence, optional
            The closed set of labels.
        request : mapping, optional
            The arguments of the call: model, temperature and seed are recorded, the prompt is
            hashed.
        prompt : optional
            What is hashed as the prompt, where there is no ``request``.
        assertion : {"bytes", "parsed", "invariant", "judge"}, optional
            What the test compares.

        Raises
        ------
        TypeError
            If ``response`` is nothing that can be read.
        ValueError
            If ``confidence`` or ``margin`` is not legal.
        """
        answer = read_answer(response)
        named = [_label_text(each) for each in labels]
        told = _label_text(label) if label is not None else None
        found = label_evidence(answer.tokens, told or "", named)
        self._calls.append(
            Call(
                answer,
                _label_text(expected) if expected is not None else None,
                told,
                found.confidence if confidence is None else _checked(confidence, "confidence", 1.0),
                found.margin if margin is None else _checked(margin, "margin", math.inf),
            )
        )
        self._share(named, request or {}, prompt, assertion)
        self._write()
        return response

    def _share(
        self, labels: Sequence[str], request: Mapping[str, Any], prompt: Any, assertion: str
    ) -> None:
        """Keep what all calls of the test have in common; the last word counts."""
        asked = prompt if prompt is not None else _prompt_of(request)
        config = look(request, "config")
        told = {
            "gen_ai.request.model": look(request, "model"),
            "gen_ai.request.temperature": _either(request, config, "temperature"),
            "gen_ai.request.seed": _either(request, config, "seed"),
            "tiebreak.prompt_sha256": (
                None
                if asked is None
                else sha256(asked if isinstance(asked, str) else _canonical(asked))
            ),
            "tiebreak.labels": json.dumps(list(labels)) if labels else None,
            "tiebreak.assertion": assertion or None,
        }
        self._shared.update({name: str(value) for name, value in told.items() if value is not None})

    def _write(self) -> None:
        """Write the properties anew with every call, so that a test that breaks off told them."""
        self._forget()
        told = {**self._calls[-1].answer.properties, **self._shared}
        if len(self._calls) == 1:
            told.update(_single(self._calls[0]))
        else:
            # Hashes and ids of several calls are several; the observations name the ids.
            told.pop("tiebreak.output_sha256", None)
            seen = [call.observation() for call in self._calls if call.has_label]
            told.update({"tiebreak.calls": str(len(self._calls))})
            told.update({"tiebreak.observations": json.dumps(seen)} if seen else {})
        self._properties += [(name, printable(value)) for name, value in told.items()]

    def _forget(self) -> None:
        kept = [each for each in self._properties if str(each[0]) not in WRITTEN]
        self._properties[:] = kept


# The properties that a recorder writes, and so may take back.
WRITTEN = frozenset(
    {
        *("gen_ai.request.model", "gen_ai.request.temperature", "gen_ai.request.seed"),
        *("gen_ai.response.model", "gen_ai.response.id", "gen_ai.provider.name"),
        *("gen_ai.openai.response.system_fingerprint", "gen_ai.usage.input_tokens"),
        *("gen_ai.usage.cache_read.input_tokens", "tiebreak.accepted_prediction_tokens"),
        *("tiebreak.expected_label", "tiebreak.label", "tiebreak.confidence", "tiebreak.margin"),
        *("tiebreak.labels", "tiebreak.observations", "tiebreak.calls", "tiebreak.assertion"),
        *("tiebreak.output_sha256", "tiebreak.prompt_sha256"),
    }
)
# Where each SDK takes the prompt.
PROMPTS = ("messages", "input", "contents", "prompt")
BESIDE_PROMPTS = ("system", "instructions", "tools", "response_format", "text", "tool_choice")


def _single(call: Call) -> dict[str, str]:
    told = {
        "gen_ai.response.id": call.answer.response_id or None,
        "tiebreak.expected_label": call.expected,
        "tiebreak.label": call.label,
        "tiebreak.confidence": call.confidence,
        "tiebreak.margin": call.margin,
    }
    return {name: str(value) for name, value in told.items() if value is not None}


def _prompt_of(request: Mapping[str, Any]) -> Any:
    """Return everything of a request that is prompt, so that its hash changes with any of it."""
    names = [name for name in (*PROMPTS, *BESIDE_PROMPTS) if request.get(name) is not None]
    return {name: request[name] for name in names} if names else None


def _either(request: Mapping[str, Any], config: Any, name: str) -> Any:
    told = look(request, name)
    return look(config, name) if told is None else told


def _label_text(label: Any) -> str:
    """Return a label as text: of an enum its value, true and false in lower case."""
    value = getattr(label, "value", label)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _checked(number: float, name: str, most: float) -> float:
    if not 0 <= number <= most:
        limits = "in [0, 1]" if most == 1 else "at 0 or above"
        raise ValueError(f"{name} must lie {limits}, got {number}")
    return float(number)


# Only where pytest loads this file: the commands must not wait for it, nor need it.
pytest: Any = sys.modules.get("pytest")

if pytest is not None:

    @pytest.fixture(name="llm")  # type: ignore[untyped-decorator]  # pytest need not be there
    def _llm(request: Any) -> Recorder:
        """Record LLM calls for Tiebreak: llm.record(response, expected=…, label=…)."""
        return Recorder(request.node.user_properties)


if __name__ == "__main__":
    sys.exit(main())
