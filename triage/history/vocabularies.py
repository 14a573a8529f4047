"""The labels that the cases of one suite have shown: what a case could move to."""

from collections import defaultdict

from triage.models import Case, EpochLabel

# More distinct values than this are answers, not labels of a closed set.
MOST_LABELS = 50

# Cases of one file and class ask the same question about different inputs.
Suite = tuple[str, str]


def suite_of(case: Case) -> Suite:
    """Return what cases with one vocabulary have in common."""
    return case.file, case.classname


def vocabularies(repository_id: int) -> dict[Suite, frozenset[str]]:
    """Return the labels seen per suite of a repository; one query."""
    seen: dict[Suite, set[str]] = defaultdict(set)
    rows = (
        EpochLabel.objects.filter(repository_id=repository_id, calls__gt=0)
        .values_list("epoch__case__file", "epoch__case__classname", "expected", "observed")
        .distinct()
    )
    for file, classname, expected, observed in rows:
        seen[file, classname] |= {expected, observed}
    return {
        suite: frozenset(labels) for suite, labels in seen.items() if len(labels) <= MOST_LABELS
    }
