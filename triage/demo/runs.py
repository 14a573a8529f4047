"""What the demo's CI executes: the recorded history, a pull request, and its second pass.

One regression is planted, because the recordings hold none: in the pull request every answer for
one sentence is relabelled, from the label that the model gave it in all of its recorded calls to
the label that the model uses most. Everything else is as it was recorded.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from triage.demo.evals import EvalCase
from triage.demo.recordings import Recording

MAIN_RUNS = 30
PULL_REQUEST_RUN = MAIN_RUNS + 1


@dataclass(frozen=True, slots=True)
class Relabelling:
    """The planted regression: one case, and the label that replaces its own."""

    case: str
    from_label: str
    to_label: str


PLANTED = Relabelling("test_sentence[test028-17]", "gap_or_niche", "topic_generalization")


@dataclass(frozen=True, slots=True)
class Execution:
    """A case executed once. A repeat of a second pass says which of how many it is."""

    case: EvalCase
    answer: Recording
    repeat: int = 1
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Request:
    """A case that a verdict asks to repeat, by its name in the report."""

    classname: str
    name: str
    repeats: int


def main_run(cases: Iterable[EvalCase], number: int) -> list[Execution]:
    """Return the executions of a run on the main branch, numbered from 1."""
    recorded = [(case, case.recording_at(number)) for case in cases]
    return [Execution(case, answer) for case, answer in recorded if answer]


def pull_request_run(cases: Iterable[EvalCase]) -> list[Execution]:
    """Return the executions of the pull request, the planted regression among them."""
    return [_planted(each) for each in main_run(cases, PULL_REQUEST_RUN)]


def second_pass(cases: Iterable[EvalCase], requests: Iterable[Request]) -> list[Execution]:
    """Return the repeats that a verdict asks for, answered by the runs recorded next.

    Raises ``ValueError`` when more is asked for than was recorded.
    """
    by_name = {(case.classname, case.name): case for case in cases}
    return [
        _repeat(by_name[request.classname, request.name], number, request.repeats)
        for request in requests
        for number in range(1, request.repeats + 1)
    ]


def _repeat(case: EvalCase, number: int, repeats: int) -> Execution:
    answer = case.recording_at(PULL_REQUEST_RUN + number)
    if answer is None:
        raise ValueError(
            f"repeat {number} of {case.name} was never recorded; the recordings of "
            f"{case.module.name} end with run {case.recordings[-1].run} of their source"
        )
    return _planted(Execution(case, answer, number, repeats))


def _planted(execution: Execution) -> Execution:
    if execution.case.name != PLANTED.case:
        return execution
    relabelled = replace(execution.answer, label=PLANTED.to_label, output_sha256=None)
    return replace(execution, answer=relabelled)
