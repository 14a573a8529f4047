"""A job of CI: a folder with the client alone in it, and nothing of the machine's environment."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.servers.embedded import client_environment
from triage import client

SHA = "a" * 40
PASSING = '<testsuite name="s"><testcase classname="evals" name="test_a"/></testsuite>'
FAILING = (
    '<testsuite name="s"><testcase classname="evals" name="test_a"><properties>'
    '<property name="tiebreak.expected_label" value="fraud"/>'
    '<property name="tiebreak.label" value="billing"/></properties>'
    "<failure>assert 'billing' == 'fraud'</failure></testcase></testsuite>"
)


@dataclass
class Job:
    """The folder and the environment of a job."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    def write(self, name: str, text: str) -> Path:
        """Write a file into the job's folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run the client as it is run in CI, without any package in its reach."""
        command = [sys.executable, "-I", "-S", "tiebreak.py", *arguments]
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.env | env,
            capture_output=True,
            text=True,
            check=False,
        )

    def shell(self, script: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run lines of a shell, as CI runs them."""
        command = ["bash", "-e", "-o", "pipefail", "-c", script]
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.env | env,
            capture_output=True,
            text=True,
            check=False,
        )

    def verdict(self) -> dict[str, Any]:
        """Return the verdict that the client kept."""
        document: dict[str, Any] = json.loads((self.folder / "verdict.json").read_text())
        return document


def make_job(folder: Path, server_url: str, token: str = "tbk_any", **env: str) -> Job:
    """Return a job on some commit of a repository, with the client copied alone into it."""
    shutil.copy(client.__file__, folder / "tiebreak.py")
    told = {"TIEBREAK_REPO": "acme/support-bot", "TIEBREAK_SHA": SHA, "TIEBREAK_RUN_ID": "1"} | env
    return Job(folder, client_environment(server_url, token, **told))
