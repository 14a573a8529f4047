"""Bring the history of a case to its new name: the old row stays and takes the newcomer in."""

import numpy as np
from django.db import models, transaction
from django.db.models import F

from budgets.ledger import move_charges
from triage.errors import InvalidRequestError
from triage.history.tallies import COUNTERS, MOMENTS
from triage.models import (
    Case,
    Epoch,
    EpochCircumstance,
    EpochDay,
    EpochHour,
    EpochLabel,
    Escalation,
    Finding,
    Mute,
    Part,
    Repository,
    Result,
)
from triage.models.vectors import Code, pack, unpack_codes, unpack_groups

NAMES = ("key", "suite", "file", "classname", "name", "title", "labels")
# What is counted per epoch, by what tells its rows apart.
COUNTED: tuple[tuple[type[models.Model], tuple[str, ...], tuple[str, ...]], ...] = (
    (EpochDay, ("day",), COUNTERS),
    (EpochHour, ("hour",), COUNTERS),
    (EpochLabel, ("expected", "observed"), ("calls",)),
    (
        EpochCircumstance,
        ("hours", "fingerprint", "cache_hit", "speculation"),
        ("calls", "wording", "label"),
    ),
)


def follow(old: Case, new: Case) -> None:
    """Make two cases one; raise ``InvalidRequestError`` where they were both run at once."""
    with transaction.atomic():
        Repository.objects.select_for_update().get(pk=old.repository_id)
        _check(old, new)
        _move_outcomes(old, new)
        _move_epochs(old, new)
        for table in (Result, Finding, Escalation, Mute):
            table._default_manager.filter(case=new).update(case=old)
        move_charges(new.pk, old.pk)
        _take_name(old, new)


def _check(old: Case, new: Case) -> None:
    if old.repository_id != new.repository_id or old.pk == new.pk:
        raise InvalidRequestError(f"{old} and {new} are not two cases of one repository")
    if Result.objects.filter(case=new, part__in=old.results.values("part")).exists():
        raise InvalidRequestError(f"{old} and {new} were both in one run, so they are two cases")


def _move_outcomes(old: Case, new: Case) -> None:
    """Let the vectors say that the old case was run where the newcomer was."""
    parts = Part.objects.filter(
        repository_id=old.repository_id, run__at__gte=new.first_seen_at
    ).select_for_update()
    slots = max(old.slot, new.slot) + 1
    for part in parts:
        outcomes = unpack_codes(part.outcomes, slots)
        if outcomes[new.slot] == Code.ABSENT:
            continue
        if outcomes[old.slot] != Code.ABSENT:
            raise InvalidRequestError(
                f"{old} and {new} were both in one run, so they are two cases"
            )
        durations = unpack_codes(part.durations, slots)
        part.outcomes = pack(_moved(outcomes, old.slot, new.slot))
        part.durations = pack(_moved(durations, old.slot, new.slot))
        if part.call_groups:
            groups = unpack_groups(part.call_groups, slots)
            part.call_groups = pack(_moved(groups, old.slot, new.slot))
        part.save(update_fields=["outcomes", "durations", "call_groups"])


def _moved(vector: np.ndarray, to: int, from_: int) -> np.ndarray:
    moved = vector.copy()
    moved[to], moved[from_] = vector[from_], 0
    return moved


def _move_epochs(old: Case, new: Case) -> None:
    number = max(old.epochs.values_list("number", flat=True), default=0)
    for epoch in Epoch.objects.filter(case=new).order_by("number"):
        twin = Epoch.objects.filter(
            case=old,
            model_snapshot=epoch.model_snapshot,
            prompt_sha256=epoch.prompt_sha256,
            test_sha256=epoch.test_sha256,
        ).first()
        if twin is None:
            number += 1
            Epoch.objects.filter(pk=epoch.pk).update(case=old, number=number)
        else:
            _merge(twin, epoch)


def _merge(into: Epoch, epoch: Epoch) -> None:
    added = {name: F(name) + getattr(epoch, name) for name in (*COUNTERS, *MOMENTS, "results")}
    Epoch.objects.filter(pk=into.pk).update(
        **added,
        first_seen_at=min(into.first_seen_at, epoch.first_seen_at),
        last_seen_at=max(into.last_seen_at, epoch.last_seen_at),
    )
    for table, keys, counters in COUNTED:
        _add_rows(table, keys, counters, into, epoch)
    Result.objects.filter(epoch=epoch).update(epoch=into)
    move_charges(epoch.case_id, into.case_id, epoch.pk, into.pk)
    _move_questions(into, epoch)
    epoch.delete()


def _add_rows(
    table: type[models.Model],
    keys: tuple[str, ...],
    counters: tuple[str, ...],
    into: Epoch,
    epoch: Epoch,
) -> None:
    for row in table._default_manager.filter(epoch=epoch).values(*keys, *counters):
        same = table._default_manager.filter(epoch=into, **{name: row[name] for name in keys})
        if not same.update(**{name: F(name) + row[name] for name in counters}):
            table._default_manager.create(repository_id=into.repository_id, epoch=into, **row)


def _move_questions(into: Epoch, epoch: Epoch) -> None:
    """Move open questions; one that is asked about the old case already stays that one."""
    for question in Escalation.objects.filter(epoch=epoch):
        pair = {"first_label": question.first_label, "second_label": question.second_label}
        if Escalation.objects.filter(epoch=into, **pair).exists():
            question.delete()
        else:
            Escalation.objects.filter(pk=question.pk).update(epoch=into, case_id=into.case_id)


def _take_name(old: Case, new: Case) -> None:
    named = {name: getattr(new, name) for name in NAMES}
    last_seen_at = max(old.last_seen_at, new.last_seen_at)
    new.delete()
    Case.objects.filter(pk=old.pk).update(**named, last_seen_at=last_seen_at)
