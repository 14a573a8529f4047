"""Which labels came where which were expected, as a matrix."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Sum

from triage.models import EpochLabel

# Wider than that a matrix is not read any more; the rest is counted in one column.
MOST_LABELS = 10
MOST_PAIRS = 1_000


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """How many calls gave a label; ``is_flip`` when another one was expected."""

    calls: int
    is_flip: bool


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """The calls that expected one label."""

    expected: str
    cells: Sequence[MatrixCell]
    others: int
    calls: int


@dataclass(frozen=True, slots=True)
class LabelMatrix:
    """Expected labels as rows, observed labels as columns."""

    observed: Sequence[str]
    rows: Sequence[MatrixRow]
    has_others: bool


def label_matrix(case_id: int) -> LabelMatrix | None:
    """Return the matrix of a case over all its epochs, if it has labels at all; one query."""
    pairs = (
        EpochLabel.objects.filter(epoch__case_id=case_id, calls__gt=0)
        .values("expected", "observed")
        .annotate(made=Sum("calls"))
        .order_by("-made", "expected", "observed")
        .values_list("expected", "observed", "made")[:MOST_PAIRS]
    )
    counts = Counter({(expected, observed): made for expected, observed, made in pairs})
    return _matrix(counts) if counts else None


def _matrix(counts: Mapping[tuple[str, str], int]) -> LabelMatrix:
    expected_labels = _commonest(counts, 0)
    observed_labels = _commonest(counts, 1)
    rows = [_row(expected, observed_labels, counts) for expected in expected_labels]
    return LabelMatrix(observed_labels, rows, has_others=any(row.others for row in rows))


def _commonest(counts: Mapping[tuple[str, str], int], side: int) -> list[str]:
    totals: Counter[str] = Counter()
    for pair, calls in counts.items():
        totals[pair[side]] += calls
    return [label for label, _ in totals.most_common(MOST_LABELS)]


def _row(
    expected: str, observed: Sequence[str], counts: Mapping[tuple[str, str], int]
) -> MatrixRow:
    calls = sum(made for pair, made in counts.items() if pair[0] == expected)
    cells = [
        MatrixCell(counts.get((expected, label), 0), is_flip=label != expected)
        for label in observed
    ]
    return MatrixRow(expected, cells, calls - sum(cell.calls for cell in cells), calls)
