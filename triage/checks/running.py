"""Run checks: one that breaks has failed, and what rests on it is not looked at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class CheckState(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found, and what to do about it."""

    name: str
    state: CheckState
    told: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """Something to look at, by the name that it is told under."""

    name: str
    look: Callable[[], CheckResult]
    # What to do when looking at it fails.
    remedy: str = ""
    # The check without which this one could only tell the same again.
    needs: str = ""


def run_checks(checks: Sequence[Check]) -> list[CheckResult]:
    """Return what was found, in the order of the checks."""
    found: dict[str, CheckResult] = {}
    for check in checks:
        needed = found.get(check.needs)
        if needed and needed.state in (CheckState.FAIL, CheckState.SKIP):
            told = f"not looked at until '{check.needs}' passes"
            found[check.name] = CheckResult(check.name, CheckState.SKIP, told)
        else:
            found[check.name] = _run(check)
    return list(found.values())


def _run(check: Check) -> CheckResult:
    try:
        return check.look()
    except Exception as error:
        told = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        return CheckResult(check.name, CheckState.FAIL, told[:300], check.remedy)
