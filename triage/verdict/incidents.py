"""Provider incidents: a burst of failing endpoints over runs and repositories, told once.

An incident is context. It never decides for a case: a flip within it stays a flip.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from budgets.incidents import burst_p_value
from triage.models import ProviderIncident, Result, Run
from triage.notifications.outbox import emit
from triage.terms import Difference, NotificationEvent
from triage.verdict.judgements import Judgement

WINDOW = timedelta(hours=1)
PAST = timedelta(days=7)
FEWEST_RUNS = 2
# Of an hour taken at random. It is looked at when a run has just failed, which makes chance
# likelier: simulated, at most 5 in 1,000 runs with provider errors open an incident by chance.
ALARM_P_VALUE = 1e-4
# What is replayed from long ago is nobody's incident today.
OLDEST = timedelta(days=1)
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class IncidentNote:
    """An open incident as a run tells of it: counts only, no other repository's name."""

    provider: str
    since: datetime
    errors: int
    runs: int
    repositories: int

    @property
    def sentence(self) -> str:
        """Say it in one sentence."""
        where = "in this repository"
        if self.repositories > 1:
            where = f"in {self.repositories} repositories"
        return (
            f"{self.provider} has an incident since {self.since:%d %b %H:%M} UTC: {self.errors} "
            f"errors in {self.runs} runs {where}. What failed for it tested nothing."
        )


def incident_notes(run: Run, judgements: Sequence[Judgement]) -> list[IncidentNote]:
    """Open or extend the incidents that a run's provider errors belong to, and tell of them."""
    providers = sorted(
        {each.question.result.provider for each in judgements if _is_provider_s(each)} - {""}
    )
    if not providers or not run.is_trusted or run.at < timezone.now() - OLDEST:
        return []
    found = (_open_or_extend(provider, run) for provider in providers)
    return [_note(incident) for incident in found if incident]


def close_quiet(now: datetime) -> int:
    """Close the incidents whose last error is long enough ago; return how many there were."""
    quiet = ProviderIncident.objects.filter(closed_at__isnull=True, last_error_at__lt=now - WINDOW)
    closed = list(quiet)
    for incident in closed:
        ProviderIncident.objects.filter(pk=incident.pk).update(closed_at=incident.last_error_at)
        _tell(incident, NotificationEvent.PROVIDER_INCIDENT_CLOSED, "is over")
    return len(closed)


def incidents_of(repository_id: int, since: datetime) -> list[ProviderIncident]:
    """Return the incidents that touched a repository since a time, newest first; one query."""
    touched = Result.objects.filter(
        repository_id=repository_id,
        difference=Difference.PROVIDER,
        provider=OuterRef("provider"),
        at__gte=OuterRef("opened_at"),
        at__lte=OuterRef("last_error_at"),
    )
    recent = ProviderIncident.objects.filter(Exists(touched), last_error_at__gte=since)
    return list(recent.order_by("-opened_at")[:MOST_SHOWN])


def errors_of(incident: ProviderIncident) -> QuerySet[Result]:
    """Return the failures that belong to an incident."""
    return Result.objects.filter(
        difference=Difference.PROVIDER,
        run__is_trusted=True,
        provider=incident.provider,
        at__gte=incident.opened_at,
        at__lte=incident.last_error_at,
    )


def _is_provider_s(each: Judgement) -> bool:
    return each.question.difference is Difference.PROVIDER


def _open_or_extend(provider: str, run: Run) -> ProviderIncident | None:
    known = _covering(provider, run.at)
    if known:
        if known.closed_at is None:
            known.opened_at = min(known.opened_at, run.at)
            known.last_error_at = max(known.last_error_at, run.at)
            known.save(update_fields=["opened_at", "last_error_at"])
        return known
    is_open = ProviderIncident.objects.filter(provider=provider, closed_at__isnull=True).exists()
    if is_open or not _is_burst(provider, run.at):
        return None
    first = _failing(provider, run.at - WINDOW, run.at).order_by("at").first()
    opened, is_new = ProviderIncident.objects.get_or_create(
        provider=provider,
        closed_at=None,
        defaults={"opened_at": first.at if first else run.at, "last_error_at": run.at},
    )
    if is_new:
        _tell(opened, NotificationEvent.PROVIDER_INCIDENT_OPENED, "has begun")
    return opened


def _covering(provider: str, at: datetime) -> ProviderIncident | None:
    """Return the incident that a failure at a time belongs to, be it over by now.

    A failure of long before it says nothing of when it began.
    """
    near = ProviderIncident.objects.filter(
        provider=provider, opened_at__lte=at + WINDOW, last_error_at__gte=at - WINDOW
    )
    return near.filter(Q(closed_at__isnull=True) | Q(closed_at__gte=at)).first()


def _is_burst(provider: str, at: datetime) -> bool:
    recent = _runs(_failing(provider, at - WINDOW, at))
    past = _runs(_failing(provider, at - PAST, at - WINDOW))
    p_value = float(burst_p_value(recent, past, (PAST - WINDOW) / WINDOW))
    return recent >= FEWEST_RUNS and p_value < ALARM_P_VALUE


def _failing(provider: str, since: datetime, until: datetime) -> QuerySet[Result]:
    return Result.objects.filter(
        difference=Difference.PROVIDER,
        run__is_trusted=True,
        provider=provider,
        at__gt=since,
        at__lte=until,
    )


def _runs(failing: QuerySet[Result]) -> int:
    """Count CI runs; attempts of one are not independent."""
    return failing.values("repository_id", "run__sha", "run__ci_run_id").distinct().count()


def _note(incident: ProviderIncident) -> IncidentNote:
    errors = errors_of(incident)
    repositories = errors.aggregate(count=Count("repository", distinct=True))["count"]
    return IncidentNote(
        incident.provider, incident.opened_at, errors.count(), _runs(errors), repositories
    )


def _tell(incident: ProviderIncident, event: NotificationEvent, what: str) -> None:
    """Tell every repository that the incident has touched, without naming another."""
    for repository_id in errors_of(incident).values_list("repository_id", flat=True).distinct():
        payload = {
            "headline": f"An incident of {incident.provider} {what}",
            "details": [f"Since {incident.opened_at:%d %b %H:%M} UTC runs got no answer."],
            "url": "",
        }
        emit(repository_id, event, payload, key=f"{event}:{incident.pk}")
