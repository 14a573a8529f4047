"""A repository's page: its runs, its budget, the cases that flip or flake most."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import Http404, QueryDict
from django.utils import timezone

from triage.history.suite_state import margin_check
from triage.models import Delivery, Mute, Repository, Run
from triage.terms import DeliveryState
from triage.verdict.mutes import mutes_of
from triage.verdict.sentences import margin_sentence
from triage.verdict.standings import repository_standing
from triage.web.presenters.filters import RunFilter
from triage.web.presenters.gauges import Gauge, gauge
from triage.web.presenters.lively_cases import LivelyCase, lively_cases
from triage.web.presenters.pagination import page_of
from triage.web.presenters.run_rows import RunRow, run_rows

RUNS_PER_PAGE = 25
# Cases that did something within this time are lively.
LIVELY = timedelta(days=30)
# Failed messages are pointed at for this long.
LATELY = timedelta(days=7)


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
    # Messages to its channels that failed for good lately, so that nobody waits for them.
    failed_messages: int
    address: str


def repository_page(full_name: str, parameters: QueryDict) -> RepositoryPage:
    """Read a repository's page; twelve queries, however many runs and cases it has."""
    repository = Repository.objects.filter(full_name=full_name).first()
    if repository is None:
        raise Http404(f"There is no repository “{full_name}” here. Names are case-sensitive.")
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
        failed_messages=_failed_messages(repository, now - LATELY),
        address=settings.TIEBREAK_URL,
    )


def _failed_messages(repository: Repository, since: datetime) -> int:
    failed = Delivery.objects.filter(repository=repository, state=DeliveryState.FAILED)
    return failed.filter(created_at__gte=since).count()


def _newest_first(repository: Repository, wanted: RunFilter) -> QuerySet[Run]:
    runs = Run.objects.filter(repository=repository).order_by("-at", "-pk")
    return wanted.narrow(runs)
