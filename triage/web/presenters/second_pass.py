"""The plan of a second pass: which cases to repeat, how often, and with which commands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from triage.models import Run

MOST_CASES = 50


@dataclass(frozen=True, slots=True)
class Repeat:
    """A case to repeat."""

    case: str
    part: str
    repeats: int


@dataclass(frozen=True, slots=True)
class SecondPass:
    """What CI has to do for the undecided cases of a run."""

    cases: Sequence[Repeat]
    cases_left_out: int
    next_attempt: int
    upload: str


def second_pass(document: Mapping[str, Any], run: Run, address: str) -> SecondPass | None:
    """Return the plan of a verdict document, if it asks for repeats."""
    asked = (document.get("second_pass") or {}).get("cases") or []
    if not asked:
        return None
    return SecondPass(
        cases=[
            Repeat(each["case"], each.get("part") or "", each["repeats"])
            for each in asked[:MOST_CASES]
        ],
        cases_left_out=len(asked[MOST_CASES:]),
        next_attempt=run.attempt + 1,
        upload=upload_command(run, address),
    )


def upload_command(run: Run, address: str) -> str:
    """Return the line that uploads the next attempt of a run."""
    fields = {
        "repo": run.repository.full_name,
        "sha": run.sha,
        "branch": run.branch,
        "pr": run.pr,
        "base_sha": run.base_sha,
        "run_id": run.ci_run_id,
        "attempt": run.attempt + 1,
    }
    given = [f"-F {quote(f'{name}={value}')}" for name, value in fields.items() if value]
    start = 'curl -sS -H "Authorization: Bearer $TIEBREAK_TOKEN"'
    url = quote(f"{address}/api/v1/uploads?wait=60")
    return " \\\n  ".join([start, "-F files=@junit.xml", *given, url])
