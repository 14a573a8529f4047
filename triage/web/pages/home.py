"""The first page: what needs somebody, then the repositories."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.core.paginator import Page
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import QueryDict
from django.utils import timezone

from triage.models import Escalation, ProviderIncident, Repository, Run, Verdict
from triage.terms import Conclusion, EscalationState
from triage.web.presenters.gauges import Gauge, stored_gauge
from triage.web.presenters.pagination import page_of
from triage.web.presenters.run_rows import RunRow, run_rows

REPOSITORIES_PER_PAGE = 50
# A red run that nobody touched for two weeks is abandoned work, not somebody's next step.
NEEDS_YOU_WITHIN = timedelta(days=14)
# A bound on what is read for the list, and on the list: who has more has another problem first.
MOST_RECENT_RUNS = 1_000
MOST_NEEDING_YOU = 20
MOST_ESCALATIONS = 20


@dataclass(frozen=True, slots=True)
class RepositoryRow:
    """A repository with its newest run, and its budget as that run left it."""

    repository: Repository
    last_run: RunRow | None
    budget: Gauge | None


@dataclass(frozen=True, slots=True)
class HomePage:
    """What the first page shows."""

    needing: Sequence[RunRow]
    escalations: Sequence[Escalation]
    incidents: Sequence[ProviderIncident]
    repositories: Page[Repository]
    rows: Sequence[RepositoryRow]
    # Whether there are repositories, and none of them is open to whoever asks.
    are_others_hidden: bool
    address: str


def home_page(
    parameters: QueryDict, visible: QuerySet[Repository], *, is_signed_in: bool = True
) -> HomePage:
    """Read the first page over these repositories; seven queries at most, however much there is."""
    repositories = page_of(_with_newest_run(visible), parameters, REPOSITORIES_PER_PAGE)
    newest_ids = [each.newest_run for each in repositories]  # type: ignore[attr-defined]
    needing_ids = _runs_needing_you(visible)
    rows = {row.run.pk: row for row in run_rows(_runs({*newest_ids, *needing_ids} - {None}))}
    return HomePage(
        needing=[rows[pk] for pk in needing_ids],
        escalations=_open_escalations(visible),
        incidents=_open_incidents() if is_signed_in else [],
        repositories=repositories,
        rows=[
            _repository_row(repository, rows.get(newest))
            for repository, newest in zip(repositories, newest_ids, strict=True)
        ],
        are_others_hidden=not repositories and Repository.objects.exists(),
        address=settings.TIEBREAK_URL,
    )


def _with_newest_run(visible: QuerySet[Repository]) -> QuerySet[Repository]:
    newest = Run.objects.filter(repository=OuterRef("pk")).order_by("-at", "-pk").values("pk")[:1]
    return visible.annotate(newest_run=Subquery(newest)).order_by("full_name")


def _runs(ids: set[int]) -> list[Run]:
    return list(Run.objects.filter(pk__in=ids).select_related("repository"))


def _runs_needing_you(visible: QuerySet[Repository]) -> list[int]:
    """Return the newest judged run of each branch or pull request, where it blocks or holds."""
    recent = (
        Verdict.objects.filter(repository__in=visible, is_current=True)
        .filter(run__at__gte=timezone.now() - NEEDS_YOU_WITHIN)
        .order_by("-run__at", "-run_id")
        .values_list("repository_id", "run__branch", "run__pr", "run_id", "conclusion")
    )
    newest: dict[tuple[int, str, int | None], tuple[int, str]] = {}
    for repository_id, branch, pr, run_id, conclusion in recent[:MOST_RECENT_RUNS]:
        newest.setdefault((repository_id, branch, pr), (run_id, conclusion))
    needing = {Conclusion.BLOCKED, Conclusion.ON_HOLD}
    found = [run_id for run_id, conclusion in newest.values() if conclusion in needing]
    return found[:MOST_NEEDING_YOU]


def _open_escalations(visible: QuerySet[Repository]) -> list[Escalation]:
    """Return the open questions, the next one due first."""
    questions = Escalation.objects.filter(repository__in=visible, state=EscalationState.OPEN)
    return list(
        questions.select_related("case", "repository").order_by("due_at", "pk")[:MOST_ESCALATIONS]
    )


def _open_incidents() -> list[ProviderIncident]:
    """Return the open incidents, which tell of private repositories' runs as well."""
    return list(ProviderIncident.objects.filter(closed_at__isnull=True))


def _repository_row(repository: Repository, last_run: RunRow | None) -> RepositoryRow:
    return RepositoryRow(repository, last_run, stored_gauge(last_run.budget) if last_run else None)
