"""The steps of docs/ci.md: what each gives to a shell, and with which variables."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

PAGE = (Path(__file__).parents[2] / "docs" / "ci.md").read_text()
FENCE = re.compile(r"```(\w+)\n(.*?)```", re.S)
# How each system calls the shell of a step.
GITHUB_SHELL = ("bash", "-e")
BASH = ("bash", "-e", "-o", "pipefail")
JENKINS_SHELL = ("sh", "-xe")
AZURE_SHELL = ("bash", "--noprofile", "--norc")


@dataclass(frozen=True)
class Snippet:
    """Lines for a shell; ``env`` is what the step itself sets, as the page writes it."""

    system: str
    shell: tuple[str, ...]
    script: str
    env: dict[str, str] = field(default_factory=dict)
    # Files that the page has the team put into its repository.
    files: dict[str, str] = field(default_factory=dict)


def blocks(heading: str) -> list[str]:
    """Return the fenced blocks that stand below a heading, as far as the next one."""
    (section,) = re.findall(rf"^##+ {heading}\n(.*?)(?=^##+ |\Z)", PAGE, re.M | re.S)
    return [text for _, text in FENCE.findall(section)]


def document(heading: str, number: int = 0) -> dict[str, Any]:
    """Return a block of YAML below a heading."""
    parsed: dict[str, Any] = YAML(typ="safe").load(blocks(heading)[number])
    return parsed


def snippets() -> dict[str, Snippet]:
    """Return the steps that the page has for a system, by what they are called there."""
    found = (_github(), _gitlab(), _circleci(), _jenkins(), _buildkite(), _azure())
    return {each.system: each for each in found}


def _github() -> Snippet:
    step = document("Without the action")["jobs"]["evals"]["steps"][-1]
    return Snippet("GitHub Actions", GITHUB_SHELL, step["run"], step["env"])


def _gitlab() -> Snippet:
    lines = document("GitLab CI")["evals"]["script"]
    return Snippet("GitLab CI", BASH, "\n".join(lines))


def _circleci() -> Snippet:
    steps = document("CircleCI")["jobs"]["evals"]["steps"]
    (script,) = (step["run"]["command"] for step in steps if "run" in step)
    return Snippet("CircleCI", BASH, script)


def _jenkins() -> Snippet:
    (text,) = blocks("Jenkins")
    (script,) = re.findall(r"sh '''\n(.*?)'''", text, re.S)
    (environment,) = re.findall(r"environment \{\n(.*?)\}", text, re.S)
    env = dict(re.findall(r"^\s*(\w+) = (.+)$", environment, re.M))
    return Snippet("Jenkins", JENKINS_SHELL, script, env)


def _buildkite() -> Snippet:
    (step,) = document("Buildkite")["steps"]
    return Snippet(
        "Buildkite", BASH, step["command"], {}, {step["command"]: blocks("Buildkite")[1]}
    )


def _azure() -> Snippet:
    (step,) = document("Azure Pipelines")["steps"]
    return Snippet("Azure Pipelines", AZURE_SHELL, step["script"], step["env"])
