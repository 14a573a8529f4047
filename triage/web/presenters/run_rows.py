"""Runs as rows of a list: the decision, the commit, the counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from triage.models import Run, Verdict
from triage.terms import Conclusion
from triage.web.presenters.badges import CONCLUSIONS, NOT_JUDGED, PRUNED, Badge


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of a list. ``counts`` and ``budget`` are the verdict document's."""

    run: Run
    badge: Badge
    headline: str
    counts: Mapping[str, int]
    budget: Mapping[str, Any] | None


def run_rows(runs: Sequence[Run]) -> list[RunRow]:
    """Return the rows of runs in their order; one query, however many they are."""
    verdicts = _current_verdicts(runs)
    return [_row(run, verdicts.get(run.pk)) for run in runs]


@dataclass(frozen=True, slots=True)
class _Excerpt:
    """The parts of a verdict document that a list shows; the whole of it may be large."""

    conclusion: str
    headline: Mapping[str, str] | None
    counts: Mapping[str, int] | None
    budget: Mapping[str, Any] | None


def _current_verdicts(runs: Sequence[Run]) -> dict[int, _Excerpt]:
    rows = Verdict.objects.filter(run__in=[run.pk for run in runs], is_current=True).values_list(
        "run_id", "conclusion", "document__headline", "document__counts", "document__budget"
    )
    return {run_id: _Excerpt(*excerpt) for run_id, *excerpt in rows}


def _row(run: Run, verdict: _Excerpt | None) -> RunRow:
    if verdict is None and run.pruned_at:
        return RunRow(run, PRUNED, f"Results deleted on {run.pruned_at:%Y-%m-%d}", {}, None)
    if verdict is None:
        return RunRow(run, NOT_JUDGED, "Not judged yet", {}, None)
    return RunRow(
        run=run,
        badge=CONCLUSIONS[Conclusion(verdict.conclusion)],
        headline=(verdict.headline or {}).get("text", ""),
        counts=verdict.counts or {},
        budget=verdict.budget,
    )
