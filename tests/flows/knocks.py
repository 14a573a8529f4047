"""A good request to every address that takes a credential, about one repository and its rows."""

import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from tests.flows.suites import FLIP, REPO, CaseRun, report, sha, suite, take
from triage.api.urls import api
from triage.models import Case, Epoch, Escalation, Run, Upload

PREFIX = "/api/v1"
# Datadog's uploader asks whether its key is known, and for commits: of no repository.
OF_NO_REPOSITORY = {"/api/v1/validate", "/api/v2/git/repository/search_commits"}
# What stays within the token's own repository by itself.
OF_ITS_OWN = {"/runs", "/cases", "/budgets", "/budgets/charges", "/escalations", "/policy/check"}


@dataclass(frozen=True)
class Target:
    """What is asked for: a repository and its rows, or what nobody has."""

    repo: str
    rows: dict[str, object]
    # The commit and the CI run that its runs are of.
    sha: str = sha(1)
    run_id: str = "ci-1"

    @property
    def slug(self) -> str:
        """The repository as Codecov's uploader writes it."""
        return self.repo.replace("/", "::::")

    def neutral(self, told: str) -> str:
        """Return an answer without the names that were asked for."""
        for name in (self.repo, self.slug, self.sha, self.run_id):
            told = told.replace(name, "…")
        numbers = "|".join(map(str, self.rows.values()))
        return re.sub(rf"((?:upload|run|case|escalation)s?[ /])(?:{numbers})\b", r"\1…", told)


def fill() -> None:
    """Take a run of the suite's repository, and ask a question about it."""
    take(suite(3, CaseRun("test_ticket[1]", FLIP, "billing")), 1, run_id="ci-1")
    epoch, now = Epoch.objects.select_related("case").earliest("pk"), timezone.now()
    Escalation.objects.create(
        repository=epoch.case.repository,
        case=epoch.case,
        epoch=epoch,
        first_label="billing",
        second_label="fraud",
        owner="ada",
        opened_at=now,
        due_at=now + timedelta(hours=4),
    )


def existing() -> Target:
    """Return the suite's repository and its oldest rows."""
    return Target(
        REPO,
        {
            "upload_id": Upload.objects.earliest("received_at").pk,
            "run_id": Run.objects.earliest("pk").pk,
            "case_id": Case.objects.earliest("pk").pk,
            "escalation_id": Escalation.objects.earliest("pk").pk,
        },
    )


def missing() -> Target:
    """Return what no repository has."""
    rows: dict[str, object] = dict.fromkeys(("run_id", "case_id", "escalation_id"), 987_654)
    return Target("acme/nowhere", rows | {"upload_id": uuid.UUID(int=7)}, sha(77), "ci-77")


@dataclass(frozen=True)
class Knock:
    """A good request, but for the credential."""

    method: str
    path: str
    # The scope that it takes; empty for one that takes none.
    scope: str
    header: str = "Authorization"
    scheme: str = "Bearer {}"
    body: Any = None
    kind: str = "application/json"

    def send(self, credential: str) -> Any:
        """Send the request with a credential in its place."""
        body = self.body() if callable(self.body) else self.body
        told: dict[str, Any] = {} if self.kind == "form" else {"content_type": self.kind}
        if body is not None:
            told["data"] = body
        headers = {self.header: self.scheme.format(credential)}
        return getattr(Client(), self.method)(self.path, headers=headers, **told)


def form(target: Target) -> dict[str, Any]:
    """Return an upload that would be new."""
    files = SimpleUploadedFile("junit.xml", report(suite(4)))
    return {"repo": target.repo, "sha": sha(99), "run_id": "forged", "files": files}


def buildkite_form(target: Target) -> dict[str, Any]:
    """Return an upload of Buildkite's curl line."""
    told = {"format": "junit", "run_env[commit_sha]": sha(99), "run_env[key]": "forged"}
    url = f"https://github.com/{target.repo}/actions/runs/98"
    file = SimpleUploadedFile("junit.xml", report(suite(4)))
    return told | {"run_env[url]": url, "data": file}


def datadog_form(target: Target) -> dict[str, Any]:
    """Return an upload of Datadog's uploader."""
    event = {
        "git.repository_url": f"https://github.com/{target.repo}.git",
        "git.commit.sha": sha(99),
        "ci.pipeline.id": "forged",
    }
    return {
        "event": SimpleUploadedFile("event.json", json.dumps(event).encode()),
        "junit_xml_report_file": SimpleUploadedFile("0.xml", report(suite(4))),
    }


def of_api(target: Target) -> Iterator[Knock]:
    """Yield a request for every operation that the API describes and that takes a token."""
    until = (timezone.now() + timedelta(days=2)).isoformat()
    bodies: dict[str, Any] = {
        "/uploads": partial(form, target),
        "/runs/complete": {"repo": target.repo, "sha": target.sha, "run_id": target.run_id},
        "/policy/check": "version: 1\n",
        "/cases/{case_id}/mute": {"owner": "eve", "reason": "forged", "until": until},
        "/escalations/{escalation_id}/decisions": {"kind": "uphold", "why": "forged"},
    }
    for path, item in api.get_openapi_schema()["paths"].items():
        for method, operation in item.items():
            if not operation.get("security"):
                continue
            bare = path.removeprefix(PREFIX)
            body = None if method in {"get", "delete"} else bodies[bare]
            kind = {"/uploads": "form", "/policy/check": "application/yaml"}.get(bare)
            yield Knock(
                method,
                path.format(**target.rows),
                _scope(method, bare),
                body=body,
                kind=kind or "application/json",
            )


def _scope(method: str, path: str) -> str:
    if path == "/policy/check" or path.startswith("/uploads/"):
        return ""
    if path in {"/uploads", "/runs/complete"}:
        return "upload"
    return "read" if method == "get" else "decide"


def of_doors(target: Target) -> Iterator[Knock]:
    """Yield a request for every door."""
    announced = {"slug": target.slug, "commit": sha(99), "branch": "main"}
    commit = f"/upload/github/{target.slug}/commits"
    to_codecov = {"scope": "upload", "scheme": "token {}"}
    yield Knock("post", "/upload/test_results/v1", body=announced, **to_codecov)
    yield Knock("post", commit, body={"commitid": sha(99)}, **to_codecov)
    yield Knock("post", f"{commit}/{target.sha}/upload-complete", body={}, **to_codecov)
    yield Knock(
        "post",
        "/v1/uploads",
        "upload",
        scheme='Token token="{}"',
        body=partial(buildkite_form, target),
        kind="form",
    )
    key = {"header": "DD-API-KEY", "scheme": "{}"}
    yield Knock(
        "post", "/api/v2/cireport", "upload", body=partial(datadog_form, target), kind="form", **key
    )
    commits = {"data": [{"id": target.sha, "type": "commit"}]}
    yield Knock("post", "/api/v2/git/repository/search_commits", "", body=commits, **key)
    yield Knock("get", "/api/v1/validate", "", **key)
