"""What a case does not tell yet, and the line that would tell it."""

from collections.abc import Sequence
from dataclasses import dataclass

from triage.models import Case, Epoch


@dataclass(frozen=True, slots=True)
class Advice:
    """Evidence that is missing."""

    missing: str
    why: str
    line: str


LABELS = Advice(
    "The parsed label",
    "Without it a label flip cannot be told from a difference in wording.",
    'record_property("tiebreak.expected_label", expected)\n'
    'record_property("tiebreak.label", answer.label)',
)
SNAPSHOT = Advice(
    "The snapshot that answered",
    "Without it a change of the model looks like a regression of the code.",
    'record_property("gen_ai.response.model", response.model)',
)
PROMPT = Advice(
    "A hash of the prompt",
    "Without it a changed prompt inherits the history of the old one.",
    'record_property("tiebreak.prompt_sha256", sha256(prompt.encode()).hexdigest())',
)
MARGIN = Advice(
    "How close the two best labels were",
    "With it a near tie is seen at its first flip, before any repeats.",
    'record_property("tiebreak.margin", best_logprob - second_logprob)',
)


def advice(case: Case, epoch: Epoch | None, *, has_labels: bool) -> Sequence[Advice]:
    """Return what an LLM case should tell and does not; ``epoch`` is its newest one."""
    if not case.is_llm:
        return []
    missing = {
        LABELS: not has_labels,
        SNAPSHOT: not (epoch and epoch.model_snapshot),
        PROMPT: not (epoch and epoch.prompt_sha256),
        MARGIN: has_labels and not (epoch and epoch.margins),
    }
    return [each for each, is_missing in missing.items() if is_missing]
