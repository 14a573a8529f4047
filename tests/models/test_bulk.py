"""Many rows at once come out as the same rows one at a time, staged or not."""

from datetime import UTC, date, datetime

import pytest

from triage.history.tallies import COUNTERS
from triage.models import Case, Epoch, EpochDay, Repository
from triage.models.bulk import FEWEST_STAGED, add_rows, insert_rows, take_rows, update_rows
from triage.upload.acceptance import find_or_add_repository

pytestmark = pytest.mark.django_db

AT = datetime(2026, 12, 1, 9, tzinfo=UTC)
DAY = date(2026, 12, 1)
# One run through a temporary table, where the database has one, and one without.
SIZES = pytest.mark.parametrize("size", [3, FEWEST_STAGED])
KEY = ("repository", "epoch", "day")


@pytest.fixture
def repository() -> Repository:
    """A repository without cases."""
    return find_or_add_repository("acme/shop")


def cases(repository: Repository, size: int) -> list[Case]:
    """Insert cases with every awkward value that a copy has to bring through."""
    return list(
        insert_rows(
            [
                Case(
                    repository=repository,
                    key=f"{slot:064x}",
                    slot=slot,
                    name=f"tab\t, newline\n, backslash \\N and ‘quotes’ {slot}",
                    title="t",
                    labels=["a\\b", 'c"d'],
                    first_seen_at=AT,
                    last_seen_at=AT,
                )
                for slot in range(size)
            ]
        )
    )


def counts(calls: int, text: int) -> list[int]:
    """Return a row's counts in the order of the columns."""
    return [{"calls": calls, "text": text}.get(name, 0) for name in COUNTERS]


def epochs(repository: Repository, size: int) -> list[int]:
    """Insert one epoch per case and return their ids."""
    made = insert_rows(
        [
            Epoch(repository=repository, case=case, number=1, first_seen_at=AT, last_seen_at=AT)
            for case in cases(repository, size)
        ]
    )
    return [each.pk for each in made]


@SIZES
def test_inserted_rows_are_what_was_given_and_know_their_keys(
    repository: Repository, size: int
) -> None:
    made = cases(repository, size)
    stored = Case.objects.in_bulk([each.pk for each in made])
    assert len(stored) == size
    for each in made:
        row = stored[each.pk]
        assert (row.key, row.slot, row.name) == (each.key, each.slot, each.name)
        assert (row.labels, row.first_seen_at) == (["a\\b", 'c"d'], AT)


@SIZES
def test_a_row_added_after_many_gets_a_key_of_its_own(repository: Repository, size: int) -> None:
    taken = {each.pk for each in cases(repository, size)}
    later = Case.objects.create(repository=repository, key="f" * 64, slot=size, name="n", title="t")
    assert later.pk not in taken


@SIZES
def test_only_the_named_fields_of_the_given_rows_change(repository: Repository, size: int) -> None:
    first, *others = cases(repository, size)
    changed = [Case(pk=each.pk, labels=[str(each.slot)], is_llm=True) for each in others]
    update_rows(changed, ["labels", "is_llm"])
    assert Case.objects.get(pk=first.pk).labels == ["a\\b", 'c"d']
    for each in Case.objects.exclude(pk=first.pk):
        assert (each.labels, each.is_llm, each.title) == ([str(each.slot)], True, "t")


@SIZES
def test_counts_are_added_to_what_is_there_and_taken_again(
    repository: Repository, size: int
) -> None:
    ids = epochs(repository, size)
    old, new = ids[: size // 2], ids[size // 2 :]
    add_rows(EpochDay, KEY, COUNTERS, [(repository.pk, pk, DAY, *counts(5, 1)) for pk in old])
    add_rows(EpochDay, KEY, COUNTERS, [(repository.pk, pk, DAY, *counts(2, 1)) for pk in ids])
    counted = dict(EpochDay.objects.values_list("epoch_id", "calls"))
    assert counted == dict.fromkeys(old, 7) | dict.fromkeys(new, 2)
    take_rows(EpochDay, ("epoch", "day"), COUNTERS, [(pk, DAY, *counts(2, 1)) for pk in ids])
    left = {(row.calls, row.text) for row in EpochDay.objects.filter(epoch__in=new)}
    assert left == {(0, 0)}


def test_nothing_is_written_for_no_rows(repository: Repository) -> None:
    assert insert_rows([]) == []
    update_rows([], ["labels"])
    add_rows(EpochDay, KEY, COUNTERS, [])
    assert not EpochDay.objects.exists()
