"""A repository's page: its runs, its budget, the cases that flip or flake most."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.conf import settings
from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone

from triage.history.suite_state import margin_check
from triage.models import Case, Mute, ProviderIncident, Repository, Run
from triage.verdict.burn_downs import budget_days
from triage.verdict.incidents import incidents_of
from triage.verdict.mutes import mutes_of
from triage.verdict.sentences import margin_sentence
from triage.verdict.standings import repository_standing
from triage.web.presenters.burn_downs import BurnDown, burn_down
from triage.web.presenters.charts import Chart, chart, days_of_repository
from triage.web.presenters.filters import RunFilter
from triage.web.presenters.gauges import Gauge, gauge
from triage.web.presenters.insight import RepositoryInsight, repository_insight
from triage.web.presenters.lively_cases import LivelyCase, lively_cases
from triage.web.presenters.pagination import page_of
from triage.web.presenters.run_rows import RunRow, run_rows

RUNS_PER_PAGE = 25
# Cases that did something within this time are lively.
LIVELY = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class RepositoryPage:
    """What a repository's page shows."""

    repository: Repository
    filter: RunFilter
    runs: Page[Run]
    rows: Sequence[RunRow]
    budget: Gauge
    # Whether recorded margins may speak, in one sentence.
    margins: str
    cases: Sequence[LivelyCase]
    mutes: Sequence[Mute]
    incidents: Sequence[ProviderIncident]
    # None for a repository in which no case calls an LLM.
    insight: RepositoryInsight | None
    burn_down: BurnDown | None
    charts: Sequence[Chart]
    address: str

    @property
    def name_on_forge(self) -> str:
        """What GitHub calls it, where another repository here has that name."""
        known = getattr(self.repository, "github", None)
        return str(known.name_on_forge) if known else ""


def repository_page(repository: Repository, parameters: QueryDict) -> RepositoryPage:
    """Read a repository's page; nineteen queries, however many runs and cases it has."""
    wanted = RunFilter(parameters)
    runs = page_of(_newest_first(repository, wanted), parameters, RUNS_PER_PAGE)
    now = timezone.now()
    standing = repository_standing(repository.pk, now)
    return RepositoryPage(
        repository=repository,
        filter=wanted,
        runs=runs,
        rows=run_rows(list(runs)),
        budget=gauge(standing.as_json()),
        margins=margin_sentence(margin_check(repository.pk)),
        cases=lively_cases(repository.pk, (now - LIVELY).date()),
        mutes=mutes_of(repository.pk, now),
        incidents=incidents_of(repository.pk, now - LIVELY),
        insight=_insight(repository),
        burn_down=burn_down(budget_days(repository.pk, now)),
        charts=_charts(repository, (now - LIVELY).date()),
        address=settings.TIEBREAK_URL,
    )


def _insight(repository: Repository) -> RepositoryInsight | None:
    has_cases = Case.objects.filter(repository=repository, is_llm=True).exists()
    return repository_insight(repository.pk) if has_cases else None


def _charts(repository: Repository, since: date) -> list[Chart]:
    days = days_of_repository(repository.pk, since)
    if not any(day.label or day.wording for day in days):
        return []
    return [
        chart("Label flips per call", days, [day.label for day in days], [], None),
        chart("Wording differences per call", days, [day.wording for day in days], [], None),
    ]


def _newest_first(repository: Repository, wanted: RunFilter) -> QuerySet[Run]:
    runs = Run.objects.filter(repository=repository).order_by("-at", "-pk")
    return wanted.narrow(runs)
