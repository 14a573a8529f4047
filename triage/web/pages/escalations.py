"""Questions to people: the inbox of a repository, and one question with its evidence."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page
from django.db.models import Case, IntegerField, Value, When
from django.http import QueryDict

from triage.models import Decision, EpochLabel, Escalation, Finding, Repository, Run
from triage.terms import Difference, EscalationState
from triage.verdict.escalations.deciding import waiting_runs
from triage.web.presenters.pagination import page_of
from triage.web.presenters.run_rows import RunRow, run_rows

PER_PAGE = 50
MOST_FLIPS = 10
MOST_RUNS = 10


@dataclass(frozen=True, slots=True)
class EscalationsPage:
    """What the inbox shows."""

    repository: Repository
    escalations: Page[Escalation]
    open_count: int


@dataclass(frozen=True, slots=True)
class EscalationPage:
    """What the page of one question shows."""

    escalation: Escalation
    labels: Sequence[EpochLabel]
    flips: Sequence[Finding]
    runs: Sequence[RunRow]
    decisions: Sequence[Decision]


def escalations_page(repository: Repository, parameters: QueryDict) -> EscalationsPage:
    """Read the inbox, open questions first and those due soonest; four queries."""
    found = Escalation.objects.filter(repository=repository).select_related("case")
    is_open = Case(
        When(state=EscalationState.OPEN, then=Value(0)),
        default=Value(1),
        output_field=IntegerField(),
    )
    return EscalationsPage(
        repository,
        page_of(found.order_by(is_open, "due_at", "pk"), parameters, PER_PAGE),
        found.filter(state=EscalationState.OPEN).count(),
    )


def escalation_page(escalation: Escalation) -> EscalationPage:
    """Read one question with its evidence; six queries."""
    pair = [escalation.first_label, escalation.second_label]
    counts = EpochLabel.objects.filter(epoch_id=escalation.epoch_id, calls__gt=0)
    flips = Finding.objects.filter(
        case_id=escalation.case_id,
        difference=Difference.LABEL,
        expected__in=pair,
        observed__in=pair,
        verdict__is_current=True,
    ).select_related("verdict__run")
    waiting = waiting_runs(escalation)[:MOST_RUNS]
    runs = Run.objects.filter(pk__in=waiting).select_related("repository")
    return EscalationPage(
        escalation,
        list(counts.order_by("expected", "-calls")),
        list(flips.defer("verdict__document").order_by("-at", "-pk")[:MOST_FLIPS]),
        run_rows(list(runs.order_by("-at"))),
        list(Decision.objects.filter(escalation=escalation).order_by("-at", "-pk")),
    )
