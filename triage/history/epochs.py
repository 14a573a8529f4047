"""Find the epoch that a result belongs to, or open the next one."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from triage.models import Epoch
from triage.models.bulk import insert_rows, update_rows
from triage.parse.report import Result

# Above this many cases, reading all epochs of the repository beats a long IN list.
LONG_LIST = 500
SNAPSHOT_LENGTH = 200
HASH_LENGTH = 64


@dataclass(frozen=True, slots=True)
class EpochIdentity:
    """What a report tells of model, prompt and test; empty where it does not."""

    model_snapshot: str = ""
    prompt_sha256: str = ""
    test_sha256: str = ""
    model_requested: str = ""
    # What the test compares: it makes no epoch, it says how to read one.
    assertion: str = ""

    def fits(self, epoch: Epoch) -> bool:
        """Whether nothing that is told contradicts the epoch.

        A call that failed tells less than one that was answered; what it leaves out is no change.
        """
        return all(
            told in ("", known)
            for told, known in (
                (self.model_snapshot, epoch.model_snapshot),
                (self.prompt_sha256, epoch.prompt_sha256),
                (self.test_sha256, epoch.test_sha256),
            )
        )


def identity_of(result: Result) -> EpochIdentity:
    """Return what the tries of a result tell, the first try that tells anything first."""
    told = [attempt.evidence for attempt in result.tries]
    return EpochIdentity(
        _first(each.model_answered for each in told)[:SNAPSHOT_LENGTH],
        _first(each.prompt_sha256 for each in told)[:HASH_LENGTH],
        _first(each.test_sha256 for each in told)[:HASH_LENGTH],
        _first(each.model_requested for each in told)[:SNAPSHOT_LENGTH],
        _first(each.assertion for each in told),
    )


def find_or_open_epochs(
    repository_id: int, identities: dict[int, EpochIdentity], at: datetime
) -> dict[int, Epoch]:
    """Return the epoch per case id, opening those that are new.

    The caller holds the repository's lock. The newest epoch that an identity fits is taken, so a
    run of an older commit still finds the epoch it belongs to.
    """
    known = _epochs_by_case(repository_id, identities)
    chosen: dict[int, Epoch] = {}
    opened: list[Epoch] = []
    for case_id, identity in identities.items():
        fitting = [epoch for epoch in known[case_id] if identity.fits(epoch)]
        if fitting:
            chosen[case_id] = fitting[-1]
            continue
        number = 1 + max((epoch.number for epoch in known[case_id]), default=0)
        opened.append(_new_epoch(repository_id, case_id, identity, number, at))
    for epoch in insert_rows(opened):
        chosen[epoch.case_id] = epoch
    _note_assertions(chosen, identities)
    return chosen


def find_epochs(repository_id: int, identities: dict[int, EpochIdentity]) -> dict[int, Epoch]:
    """Return the newest epoch that fits per case id; a case that none fits is left out."""
    known = _epochs_by_case(repository_id, identities)
    fitting = {
        case_id: [epoch for epoch in known[case_id] if identity.fits(epoch)]
        for case_id, identity in identities.items()
    }
    return {case_id: epochs[-1] for case_id, epochs in fitting.items() if epochs}


def _note_assertions(chosen: dict[int, Epoch], identities: dict[int, EpochIdentity]) -> None:
    """Keep what the tests compare, where a report tells it anew."""
    changed = []
    for case_id, epoch in chosen.items():
        told = identities[case_id].assertion
        if told and told != epoch.assertion:
            epoch.assertion = told
            changed.append(epoch)
    update_rows(changed, ["assertion"])


def _epochs_by_case(repository_id: int, case_ids: Iterable[int]) -> dict[int, list[Epoch]]:
    wanted = set(case_ids)
    epochs = Epoch.objects.filter(repository_id=repository_id).order_by("number")
    if len(wanted) <= LONG_LIST:
        epochs = epochs.filter(case_id__in=wanted)
    by_case: dict[int, list[Epoch]] = defaultdict(list)
    for epoch in epochs:
        if epoch.case_id in wanted:
            by_case[epoch.case_id].append(epoch)
    return by_case


def _new_epoch(
    repository_id: int, case_id: int, identity: EpochIdentity, number: int, at: datetime
) -> Epoch:
    return Epoch(
        repository_id=repository_id,
        case_id=case_id,
        number=number,
        model_snapshot=identity.model_snapshot,
        prompt_sha256=identity.prompt_sha256,
        test_sha256=identity.test_sha256,
        model_requested=identity.model_requested,
        assertion=identity.assertion,
        first_seen_at=at,
        last_seen_at=at,
    )


def _first(values: Iterable[str | None]) -> str:
    return next((value for value in values if value), "")
