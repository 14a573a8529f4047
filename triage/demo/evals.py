"""The suite of the demo: cases that compare a label or a whole answer with a pinned one."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from triage.demo.recordings import STEPS, Recording, answer_recordings, sentence_recordings
from triage.terms import Assertion

# A team pins what the model answers most often; ten runs settle that for every recorded case.
PINNING_RUNS = 10


@dataclass(frozen=True, slots=True)
class EvalModule:
    """A test module: what its cases call and what they compare.

    ``joined_at`` is the run on the main branch that first held the module, counted from 1.
    """

    name: str
    function: str
    model_requested: str
    model_answered: str | None
    labels: tuple[str, ...]
    assertion: Assertion
    joined_at: int = 1


MOVE_STEP = EvalModule(
    "test_move_step",
    "test_sentence",
    "gpt-4.1-mini",
    "gpt-4.1-mini-2025-04-14",
    tuple(STEPS.values()),
    Assertion.PARSED,
)
# Ten runs of these were recorded: nine of them end the history, the tenth is the pull request's.
NAVIGATE = EvalModule(
    "test_navigate", "test_answer", "gpt-35-turbo", None, ("Yes", "No"), Assertion.BYTES, 22
)
LOGICAL_DEDUCTION = EvalModule(
    "test_logical_deduction",
    "test_answer",
    "gpt-35-turbo",
    None,
    ("A", "B", "C"),
    Assertion.BYTES,
    22,
)


@dataclass(frozen=True, slots=True)
class EvalCase:
    """A case with everything that was recorded for it and the answer that it expects."""

    module: EvalModule
    parameter: str
    expected_label: str
    expected_output: str
    recordings: tuple[Recording, ...]

    @property
    def classname(self) -> str:
        """The name of the module as pytest reports it."""
        return f"tests.evals.{self.module.name}"

    @property
    def name(self) -> str:
        """The name of the case as pytest reports it."""
        return f"{self.module.function}[{self.parameter}]"

    def recording_at(self, run: int) -> Recording | None:
        """Return what was recorded for a run, ``None`` before the case joined the suite."""
        index = run - self.module.joined_at
        return self.recordings[index] if 0 <= index < len(self.recordings) else None

    def is_met_by(self, recording: Recording) -> bool:
        """Whether the case passes with this answer."""
        if self.module.assertion is Assertion.BYTES:
            return recording.output_sha256 == self.expected_output
        return recording.label == self.expected_label


def eval_cases() -> list[EvalCase]:
    """Return the cases of the suite, in the order in which pytest would run them."""
    return [
        *_cases(MOVE_STEP, sentence_recordings()),
        *_cases(NAVIGATE, answer_recordings("navigate")),
        *_cases(LOGICAL_DEDUCTION, answer_recordings("logical_deduction")),
    ]


def _cases(module: EvalModule, recordings: Iterable[Recording]) -> list[EvalCase]:
    by_case: dict[str, list[Recording]] = defaultdict(list)
    for recording in recordings:
        by_case[recording.case].append(recording)
    return [_case(module, name, recorded) for name, recorded in by_case.items()]


def _case(module: EvalModule, parameter: str, recorded: list[Recording]) -> EvalCase:
    in_order = sorted(recorded, key=lambda recording: recording.run)
    first = in_order[:PINNING_RUNS]
    label, _ = Counter(recording.label for recording in first).most_common(1)[0]
    output, _ = Counter(recording.output_sha256 or "" for recording in first).most_common(1)[0]
    return EvalCase(module, parameter, label, output, tuple(in_order))
