"""The action as GitHub runs it: inputs put into the variables, and the script given to bash."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.client.jobs import Job

FOLDER = Path(__file__).parents[2]
ACTION: dict[str, Any] = YAML(typ="safe").load((FOLDER / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")


@dataclass(frozen=True)
class Outcome:
    """What the action left behind."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str


def use_action(job: Job, *, index: int = 0, total: int = 1, **inputs: str) -> Outcome:
    """Use the action in a job; inputs are named with underscores."""
    (step,) = STEPS
    contexts = _inputs(inputs)
    contexts |= {"strategy.job-index": str(index), "strategy.job-total": str(total)}
    output, summary = job.write("output", ""), job.write("summary.md", "")
    env = {name: _filled(value, contexts) for name, value in step["env"].items()}
    env |= {"GITHUB_ACTION_PATH": str(FOLDER), "GITHUB_OUTPUT": str(output)}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", job.write("step.sh", step["run"])],
        cwd=job.folder / _filled(step["working-directory"], contexts),
        env=job.env | env | {"GITHUB_STEP_SUMMARY": str(summary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    told = dict(line.split("=", 1) for line in output.read_text().splitlines())
    outputs = _outputs({f"steps.{step['id']}.outputs.{name}": told[name] for name in told})
    return Outcome(done.returncode, done.stdout, outputs, summary.read_text())


def _inputs(given: dict[str, str]) -> dict[str, str]:
    known = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
    told = {name.replace("_", "-"): value for name, value in given.items()}
    assert set(told) <= set(known)
    return {f"inputs.{name}": value for name, value in (known | told).items()}


def _outputs(written: dict[str, str]) -> dict[str, str]:
    return {name: _filled(each["value"], written) for name, each in ACTION["outputs"].items()}


def _filled(text: str, contexts: dict[str, str]) -> str:
    """Put values in for expressions; GitHub takes an output that was not written for empty."""
    return EXPRESSION.sub(lambda found: _value(found[1], contexts), text)


def _value(name: str, contexts: dict[str, str]) -> str:
    return contexts.get(name, "") if name.startswith("steps.") else contexts[name]
