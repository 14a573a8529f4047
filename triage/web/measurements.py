"""What Prometheus is told, read from the database at every scrape.

Web servers and workers keep no counters of their own: a number holds for the whole installation,
and any web server may be asked. Labels are words of ours, never names of repositories: those would
make a series each, and would show to whoever reads the metrics what is private.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from enum import StrEnum

import numpy as np
from django.db.models import Count, Min, Model, OuterRef, Q, QuerySet, Subquery, Sum
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from triage.models import (
    Delivery,
    Finding,
    Publication,
    Repository,
    Upload,
    Verdict,
    WebhookDelivery,
)
from triage.terms import (
    OPEN_UPLOADS,
    Conclusion,
    DeliveryState,
    FindingKind,
    PublicationState,
    UploadState,
)
from triage.webhooks.processing import MOST_TRIES

HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(days=7)
# Only the newest rows are looked at, by primary key: no index leads from a time to them, and a
# scrape must not read a table that grows for years. It is far more than a day brings.
NEWEST = 100_000
QUANTILES = (0.5, 0.95, 0.99)


class DatabaseCollector(Collector):
    """Reads everything in a fixed number of queries."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield every metric."""
        now = timezone.now()
        yield _by_word(
            "tiebreak_uploads", "Uploads received in the last 7 days, by state.",
            "state", UploadState, _uploads(now - WEEK),
        )  # fmt: skip
        yield _oldest_waiting(now)
        yield _by_word(
            "tiebreak_verdicts_24h", "Runs judged in the last 24 hours, by their newest verdict.",
            "conclusion", Conclusion, _verdicts(now - DAY),
        )  # fmt: skip
        yield _by_word(
            "tiebreak_findings_24h", "Findings of these verdicts, by kind.",
            "kind", FindingKind, _findings(now - DAY),
        )  # fmt: skip
        yield from _latency(now - HOUR)
        yield _by_word(
            "tiebreak_github_failures",
            "Publications of the last 7 days whose last try failed, by state.",
            "state", PublicationState, _failed_publications(now - WEEK),
        )  # fmt: skip
        yield GaugeMetricFamily(
            "tiebreak_webhooks_given_up", "Deliveries of GitHub that failed at every try.",
            _open_webhooks().filter(attempts__gte=MOST_TRIES).count(),
        )  # fmt: skip


def _by_word(
    name: str, documentation: str, label: str, words: type[StrEnum], counts: Counter[str]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, documentation, labels=[label])
    for word in words:
        # A series that is missing is no zero: an alert on it would never fire.
        family.add_metric([word.value], counts[word.value])
    return family


def _counts(rows: Iterable[tuple[str, int]]) -> Counter[str]:
    return Counter(dict(rows))


def _uploads(since: datetime) -> Counter[str]:
    # The index leads from a repository and a time to uploads, so each repository counts its own.
    own = Upload.objects.filter(repository=OuterRef("pk"), received_at__gte=since)
    columns = {f"uploads_{state}": _counted(own.filter(state=state)) for state in UploadState}
    sums = {state.value: Sum(f"uploads_{state}", default=0) for state in UploadState}
    return Counter(Repository.objects.annotate(**columns).aggregate(**sums))


def _counted(uploads: QuerySet[Upload]) -> Subquery:
    return Subquery(uploads.values("repository").annotate(count=Count("pk")).values("count"))


def _oldest_waiting(now: datetime) -> GaugeMetricFamily:
    family = GaugeMetricFamily(
        "tiebreak_oldest_waiting_seconds",
        "For how long the oldest of its kind has been waiting; messages from when they were due.",
        labels=["kind"],
    )
    for kind, rows, column in (
        ("upload", Upload.objects.filter(state__in=OPEN_UPLOADS), "received_at"),
        (
            "publication",
            Publication.objects.filter(state=PublicationState.WAITING),
            "changed_at",
        ),
        # Quiet hours and digests are no delay.
        ("delivery", Delivery.objects.filter(state=DeliveryState.WAITING), "due_at"),
        ("webhook", _open_webhooks().filter(attempts__lt=MOST_TRIES), "received_at"),
    ):
        oldest = rows.aggregate(at=Min(column))["at"]
        family.add_metric([kind], max((now - oldest).total_seconds(), 0) if oldest else 0)
    return family


def _open_webhooks() -> QuerySet[WebhookDelivery]:
    return WebhookDelivery.objects.filter(processed_at__isnull=True)


def _is_among_newest(table: type[Model]) -> Q:
    newest = table._default_manager.order_by("-pk").values("pk")[:1]
    return Q(pk__gt=Subquery(newest) - NEWEST)


def _judged_since(since: datetime) -> QuerySet[Verdict]:
    return Verdict.objects.filter(_is_among_newest(Verdict), judged_at__gte=since)


def _verdicts(since: datetime) -> Counter[str]:
    judged = _judged_since(since).filter(is_current=True)
    return _counts(judged.values_list("conclusion").annotate(count=Count("pk")))


def _findings(since: datetime) -> Counter[str]:
    found = Finding.objects.filter(verdict__in=_judged_since(since).filter(is_current=True))
    return _counts(found.values_list("kind").annotate(count=Count("pk")))


def _failed_publications(since: datetime) -> Counter[str]:
    recent = Publication.objects.filter(_is_among_newest(Publication), changed_at__gte=since)
    failed = recent.exclude(error="")
    return _counts(failed.values_list("state").annotate(count=Count("pk")))


def _latency(since: datetime) -> Iterator[GaugeMetricFamily]:
    seconds = _latencies(since)
    yield GaugeMetricFamily(
        "tiebreak_verdict_latency_1h_count",
        "Verdicts of the last hour that an upload asked for.",
        len(seconds),
    )
    yield GaugeMetricFamily(
        "tiebreak_verdict_latency_1h_seconds_sum",
        "Seconds from receiving an upload to its verdict, added up over these.",
        sum(seconds),
    )
    family = GaugeMetricFamily(
        "tiebreak_verdict_latency_1h_seconds",
        "Seconds from receiving an upload to its verdict, over these; absent when there are none.",
        labels=["quantile"],
    )
    for quantile in QUANTILES if seconds else ():
        family.add_metric([str(quantile)], float(np.quantile(seconds, quantile)))
    yield family


def _latencies(since: datetime) -> list[float]:
    """Return the seconds that uploads waited for the verdicts that they asked for.

    A run is judged again after a decision too; then no upload came after the verdict before.
    """
    received = Upload.objects.filter(
        run=OuterRef("run"), received_at__lte=OuterRef("judged_at")
    ).order_by("-received_at")
    before = Verdict.objects.filter(run=OuterRef("run"), revision=OuterRef("revision") - 1)
    times = _judged_since(since).values_list(
        "judged_at",
        Subquery(received.values("received_at")[:1]),
        Subquery(before.values("judged_at")[:1]),
    )
    return [
        (judged - asked).total_seconds()
        for judged, asked, judged_before in times
        if asked and (judged_before is None or asked > judged_before)
    ]
