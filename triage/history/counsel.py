"""Advice that the data of a case give: what would have saved how much."""

from collections.abc import Sequence

from budgets.applicability import Answer
from budgets.attribution import Association
from triage.history.conditions import Conditions
from triage.models import Epoch

# A class that flipped this often is worth a threshold of its own.
FEWEST_FLIPS = 2


def counsel(conditions: Conditions, epoch: Epoch, found: Sequence[Association]) -> list[str]:
    """Return what to do about a case, each sentence with the numbers it rests on."""
    told = []
    if conditions.byte_sensitive.answer is Answer.HOLDS:
        told.append(
            f"Assert on the parsed field: the label agreed in {conditions.label_kept} of "
            f"{conditions.labelled} divergences, so that many charges would have been saved."
        )
    if epoch.model_requested and not epoch.model_snapshot:
        told.append(
            f"Pin the snapshot behind {epoch.model_requested}: a change of the model would start "
            "a history of its own instead of looking like a regression."
        )
    if epoch.label >= FEWEST_FLIPS:
        told.append(_threshold(epoch, conditions.with_confidence))
    told += [
        f"Divergences are associated with the {each.covariate} "
        f"(p = {each.p_value:.2g}, {each.divergences} divergences): compare its levels."
        for each in found
        if each.verdict == "associated" and each.p_value is not None
    ]
    return told


def _threshold(epoch: Epoch, with_confidence: int) -> str:
    flips = f"its label flipped in {epoch.label} of {epoch.calls} calls"
    if with_confidence:
        return f"Route this class by a confidence threshold: {flips}."
    return (
        f"Route this class by a confidence threshold: {flips}. No confidence is recorded yet: add "
        "record_property(“tiebreak.confidence”, …)."
    )
