"""A job on GitHub Actions for a pull request: its environment, its checkout, its reports."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.flows.suites import FLIP, REPO, CaseRun, report, suite

PULL = 42
RUN_ID = "9876543210"
ATTEMPT = 2
# What GitHub checks out for a pull request: the merge of it, which nobody can comment on.
MERGE = "2" * 40
BASE = "1" * 40
SIZE = 4
FLIPPED = "test_ticket[1]"
# A job whose client hangs is a failing test, not a hanging one.
LONGEST_S = 60


@dataclass(frozen=True)
class Job:
    """A checkout with reports, and what the client's process sees."""

    folder: Path
    head: str
    environment: dict[str, str]

    def run(self, *command: str, **told: str) -> subprocess.CompletedProcess[str]:
        """Run a client in the checkout; stdout holds all that it prints."""
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment | told,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LONGEST_S,
            check=False,
        )


def make_job(folder: Path) -> Job:
    """Check a pull request out whose run flipped one label."""
    checkout = folder / "checkout"
    (checkout / "reports").mkdir(parents=True)
    cases = suite(SIZE, CaseRun(FLIPPED, FLIP, "billing"))
    (checkout / "reports" / "junit-evals.xml").write_bytes(report(cases))
    _git(checkout, "init", "--quiet", "--initial-branch", "refunds-fix")
    _git(checkout, "remote", "add", "origin", f"https://github.com/{REPO}.git")
    _git(checkout, "add", ".")
    _git(checkout, "commit", "--quiet", "--message", "Reports")
    head = _git(checkout, "rev-parse", "HEAD")
    return Job(checkout, head, _environment(folder, head))


def _environment(folder: Path, head: str) -> dict[str, str]:
    event = folder / "event.json"
    pull = {
        "number": PULL,
        "head": {"ref": "refunds-fix", "sha": head},
        "base": {"ref": "main", "sha": BASE},
    }
    event.write_text(json.dumps({"number": PULL, "pull_request": pull}))
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION": "__run_3",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_BASE_REF": "main",
        "GITHUB_HEAD_REF": "refunds-fix",
        "GITHUB_REF": f"refs/pull/{PULL}/merge",
        "GITHUB_REF_NAME": f"{PULL}/merge",
        "GITHUB_REPOSITORY": REPO,
        "GITHUB_RUN_ID": RUN_ID,
        "GITHUB_RUN_NUMBER": "77",
        "GITHUB_RUN_ATTEMPT": str(ATTEMPT),
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_SHA": MERGE,
        "GITHUB_WORKFLOW": "CI",
        "GITHUB_JOB": "llm-tests",
    }


def _git(folder: Path, *arguments: str) -> str:
    identity: Sequence[str] = ("-c", "user.name=ci", "-c", "user.email=ci@example.com")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout.strip()
