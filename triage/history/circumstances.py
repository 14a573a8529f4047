"""Count calls by the circumstances they were made under: what attribution is worked out from."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from triage.classify.calls import Call
from triage.models import EpochCircumstance, Told
from triage.models.bulk import add_rows
from triage.models.circumstances import FINGERPRINT_LENGTH
from triage.parse.report import Evidence, Result
from triage.terms import Difference

HOURS_PER_STRATUM = 6
# A provider that names each call differently tells nothing; what comes later is counted as one.
MOST_FINGERPRINTS = 20
OTHER = "(others)"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a try told of the calls that it made."""

    fingerprint: str = ""
    cache_hit: int = Told.NOT_TOLD
    speculation: int = Told.NOT_TOLD

    def as_json(self) -> list[object]:
        """Return the circumstances as a result keeps them."""
        return [self.fingerprint, int(self.cache_hit), int(self.speculation)]


Key = tuple[int, Circumstances]
# Epoch, fingerprint, cache hit, speculation.
StoredKey = tuple[int, str, int, int]


@dataclass(slots=True)
class Counted:
    """Calls under the same circumstances."""

    calls: int = 0
    wording: int = 0
    label: int = 0

    def add(self, call: Call) -> None:
        """Count one call; a call without an answer is not one."""
        if call.difference is Difference.PROVIDER:
            return
        self.calls += 1
        self.label += call.difference is Difference.LABEL
        self.wording += call.difference in {
            Difference.TEXT,
            Difference.INVALID,
            Difference.UNKNOWN,
        }


def circumstances_of(result: Result) -> list[Circumstances]:
    """Return what each try of a result told, in order."""
    return [_circumstances(attempt.evidence) for attempt in result.tries]


def count_calls(
    told: Mapping[int, list[Circumstances]], calls: Mapping[int, Iterable[Call]]
) -> dict[Key, Counted]:
    """Count the calls per epoch id and circumstances; calls of a try share what it told."""
    counted: dict[Key, Counted] = defaultdict(Counted)
    for epoch_id, made in calls.items():
        tries = told.get(epoch_id) or []
        for call in made:
            known = tries[call.try_index] if call.try_index < len(tries) else Circumstances()
            counted[epoch_id, known].add(call)
    return {key: each for key, each in counted.items() if each.calls}


def add_to_circumstances(repository_id: int, counted: Mapping[Key, Counted], at: datetime) -> None:
    """Add counts to those that are stored. The caller holds the repository's lock."""
    names = _bounded_names(counted)
    rows: dict[StoredKey, Counted] = defaultdict(Counted)
    for (epoch_id, known), each in counted.items():
        name = names.get((epoch_id, known.fingerprint), known.fingerprint)
        row = rows[epoch_id, name, int(known.cache_hit), int(known.speculation)]
        row.calls += each.calls
        row.wording += each.wording
        row.label += each.label
    _upsert(repository_id, rows, _stratum(at))


def take_from_circumstances(counted: Mapping[Key, Counted], at: datetime) -> None:
    """Take back what ``add_to_circumstances`` added with the same arguments."""
    table = EpochCircumstance._meta.db_table
    statement = (
        f"UPDATE {table} SET calls = calls - %s, wording = wording - %s, label = label - %s "  # noqa: S608
        "WHERE epoch_id = %s AND fingerprint IN (%s, %s) AND cache_hit = %s AND speculation = %s "
        "AND hours = %s AND calls >= %s"
    )
    rows = [
        (each.calls, each.wording, each.label, epoch_id, known.fingerprint, OTHER,
         int(known.cache_hit), int(known.speculation), _stratum(at), each.calls)
        for (epoch_id, known), each in counted.items()
    ]  # fmt: skip
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(statement, rows)


def _circumstances(evidence: Evidence) -> Circumstances:
    return Circumstances(
        (evidence.system_fingerprint or "")[:FINGERPRINT_LENGTH],
        _told(evidence.cached_tokens),
        _told(evidence.accepted_prediction_tokens),
    )


def _told(tokens: int | None) -> int:
    if tokens is None:
        return Told.NOT_TOLD
    return Told.YES if tokens > 0 else Told.NO


def _stratum(at: datetime) -> int:
    return at.hour // HOURS_PER_STRATUM


def _bounded_names(counted: Mapping[Key, Counted]) -> dict[tuple[int, str], str]:
    """Return the names under which fingerprints are counted that an epoch has no room for."""
    told = {(epoch_id, known.fingerprint) for epoch_id, known in counted if known.fingerprint}
    stored: dict[int, set[str]] = defaultdict(set)
    epochs = {epoch_id for epoch_id, _ in told}
    rows = EpochCircumstance.objects.filter(epoch_id__in=epochs).exclude(fingerprint="")
    for epoch_id, name in rows.values_list("epoch_id", "fingerprint").distinct():
        stored[epoch_id].add(name)
    names: dict[tuple[int, str], str] = {}
    for epoch_id, name in sorted(told):
        if name not in stored[epoch_id] and len(stored[epoch_id]) >= MOST_FINGERPRINTS:
            names[epoch_id, name] = OTHER
        else:
            stored[epoch_id].add(name)
    return names


def _upsert(repository_id: int, rows: Mapping[StoredKey, Counted], hours: int) -> None:
    add_rows(
        EpochCircumstance,
        ("repository", "epoch", "hours", "fingerprint", "cache_hit", "speculation"),
        ("calls", "wording", "label"),
        [
            (repository_id, epoch_id, hours, name, cache_hit, speculation,
             each.calls, each.wording, each.label)
            for (epoch_id, name, cache_hit, speculation), each in rows.items()
        ],
    )  # fmt: skip
