"""How often the gate would be wrong, estimated from a repository's own runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page
from django.http import QueryDict

from triage.models import CalibrationReport, Repository
from triage.terms import CalibrationState
from triage.web.presenters.pagination import page_of
from triage.web.presenters.rates import Rate

REPORTS_PER_PAGE = 20


@dataclass(frozen=True, slots=True)
class Figure:
    """One share of replays, and what it is a share of."""

    what: str
    share: Rate


@dataclass(frozen=True, slots=True)
class CalibrationPage:
    """What the page of calibrations shows."""

    repository: Repository
    newest: CalibrationReport | None
    waiting: CalibrationReport | None
    figures: Sequence[Figure]
    reports: Page[CalibrationReport]


def calibration_page(repository: Repository, parameters: QueryDict) -> CalibrationPage:
    """Read a repository's calibrations; four queries."""
    reports = CalibrationReport.objects.filter(repository=repository).order_by("-asked_at")
    newest = reports.filter(state=CalibrationState.DONE).first()
    return CalibrationPage(
        repository=repository,
        newest=newest,
        waiting=reports.exclude(state__in=[CalibrationState.DONE, CalibrationState.FAILED]).first(),
        figures=figures_of(newest.document.get("estimates")) if newest else (),
        reports=page_of(reports, parameters, REPORTS_PER_PAGE),
    )


def figures_of(estimates: Mapping[str, Any] | None) -> list[Figure]:
    """Return the figures of a calibration; none where the history was too short."""
    if not estimates:
        return []
    unchanged = estimates["unchanged"]
    figures = [
        Figure("Nothing changed, and the run is blocked", _share(unchanged["blocked"])),
        Figure("Nothing changed, and the run is on hold", _share(unchanged["held"])),
    ]
    for each in estimates["moved"]:
        moved = f"One label moved in {100 * each['share_of_calls']:.0f} % of its calls, and"
        figures.append(Figure(f"{moved} it is missed", _share(each["missed"])))
        figures.append(Figure(f"{moved} it is on hold", _share(each["held"])))
    return figures


def _share(stored: Mapping[str, Any]) -> Rate:
    return Rate(stored["count"], stored["of"], stored["low"], stored["high"])
