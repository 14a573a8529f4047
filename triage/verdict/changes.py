"""What changed under the cases of a run: snapshot, prompt or test, and aliases that pin nothing."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from triage.history.changes import Change, Origin, differences
from triage.models import Epoch, Run

WHOSE = {
    Origin.PROVIDER: "the provider changed, whatever this commit did",
    Origin.OWN: "that is a change of the tests' own",
    Origin.FIRST_TOLD: "it is told for the first time, so whether it changed is not known",
}


@dataclass(frozen=True, slots=True)
class EpochChange:
    """Cases whose history starts anew with a run, for one and the same reason."""

    change: Change
    cases: int


def epoch_changes(run: Run) -> list[EpochChange]:
    """Return what opened epochs in a run, most cases first."""
    opened = list(
        Epoch.objects.filter(
            repository_id=run.repository_id, first_seen_at=run.at, number__gt=1
        ).order_by("pk")
    )
    known: dict[int, list[Epoch]] = defaultdict(list)
    cases = [epoch.case_id for epoch in opened]
    for epoch in Epoch.objects.filter(case_id__in=cases).order_by("number"):
        known[epoch.case_id].append(epoch)
    counted = Counter(
        change for epoch in opened for change in _from_nearest(known[epoch.case_id], epoch)
    )
    return [EpochChange(change, cases) for change, cases in counted.most_common()]


def unpinned_models(run: Run) -> dict[str, int]:
    """Return aliases that were asked for without a snapshot being told, with their cases."""
    epochs = Epoch.objects.filter(
        repository_id=run.repository_id, last_seen_at=run.at, model_snapshot=""
    ).exclude(model_requested="")
    return dict(Counter(epochs.values_list("model_requested", flat=True)))


def change_sentence(change: EpochChange) -> str:
    """Return what a change means for the verdict."""
    cases = f"{change.cases} case{'s' if change.cases != 1 else ''}"
    told = change.change
    return (
        f"The {told.what} changed from {told.before} to {told.after} for {cases}: "
        f"{WHOSE[told.origin]}. Their histories start anew, and nothing blocks by itself "
        "before 10 calls."
    )


def unpinned_sentence(alias: str, cases: int) -> str:
    """Return what is lost when a model is not pinned."""
    return (
        f"{alias} is an alias and names no snapshot ({cases} case{'s' if cases != 1 else ''}): a "
        "change of the model behind it cannot be told from flakes. Record gen_ai.response.model."
    )


def _from_nearest(known: Sequence[Epoch], opened: Epoch) -> list[Change]:
    """Return what differs from the earlier epoch that is most like the opened one."""
    earlier = [epoch for epoch in known if epoch.number < opened.number]
    return min((list(differences(epoch, opened)) for epoch in reversed(earlier)), key=len)
