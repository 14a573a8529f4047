"""The matrix of expected and observed labels."""

import pytest

from tests.web.builders import make_case, make_epoch, make_labels, make_repository
from triage.web.presenters.label_matrix import MOST_LABELS, label_matrix

pytestmark = pytest.mark.django_db


def test_a_case_without_labels_has_no_matrix() -> None:
    case = make_case(make_repository())

    assert label_matrix(case.pk) is None


def test_counts_of_all_epochs_are_summed_and_flips_told_apart() -> None:
    case = make_case(make_repository())
    make_labels(make_epoch(case, 1), {("fraud", "fraud"): 30, ("fraud", "billing"): 2})
    make_labels(make_epoch(case, 2), {("fraud", "fraud"): 10})

    shown = label_matrix(case.pk)

    assert shown is not None
    assert shown.observed == ["fraud", "billing"]
    [row] = shown.rows
    assert [(cell.calls, cell.is_flip) for cell in row.cells] == [(40, False), (2, True)]
    assert (row.expected, row.calls, row.others) == ("fraud", 42, 0)
    assert not shown.has_others


def test_labels_past_the_widest_matrix_are_counted_together() -> None:
    case = make_case(make_repository())
    counts = {("fraud", f"label {n:02}"): 100 - n for n in range(MOST_LABELS + 3)}
    make_labels(make_epoch(case), counts)

    shown = label_matrix(case.pk)

    assert shown is not None
    assert len(shown.observed) == MOST_LABELS
    assert shown.rows[0].others == (100 - 10) + (100 - 11) + (100 - 12)
    assert shown.rows[0].calls == sum(counts.values())
