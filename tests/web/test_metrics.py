"""/metrics: the numbers, what they cost, and who may read them."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from tests.flows.suites import FLIP, REPO, CaseRun, suite, take, upload
from tests.web.builders import make_repository
from triage.models import (
    Channel,
    Delivery,
    Publication,
    Upload,
    Verdict,
    WebhookDelivery,
)
from triage.terms import Conclusion, FindingKind, PublicationState, UploadState
from triage.verdict.judge import judge
from triage.webhooks.processing import MOST_TRIES

pytestmark = pytest.mark.django_db

TOKEN = "0123456789abcdef" * 2
OUTSIDE = "203.0.113.7"
FLIPPED = suite(5, CaseRun("test_ticket[2]", FLIP, "billing"))


def scrape(**headers: str) -> dict[tuple[str, str], float]:
    """Return every sample by its name and the value of its label."""
    response = Client().get("/metrics", headers=headers)
    assert response.status_code == 200, response.content
    families = text_string_to_metric_families(response.content.decode())
    return {
        (sample.name, "".join(sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


def ago(**delta: float) -> datetime:
    """Return a time in the past."""
    return timezone.now() - timedelta(**delta)


def make_publication(**fields: Any) -> Publication:
    """Make a publication of the repository that runs go to."""
    run = Upload.objects.latest("received_at").run
    told = {"kind": "check", "subject": run.sha, "repository": run.repository} | fields
    return Publication.objects.create(**told)


def test_an_empty_installation_tells_zeros_and_no_quantiles() -> None:
    samples = scrape()

    assert set(samples.values()) == {0.0}
    assert ("tiebreak_verdict_latency_1h_seconds", "0.5") not in samples
    for name, words in (
        ("tiebreak_uploads", UploadState),
        ("tiebreak_verdicts_24h", Conclusion),
        ("tiebreak_findings_24h", FindingKind),
        ("tiebreak_github_failures", PublicationState),
    ):
        assert {label for sample, label in samples if sample == name} == {*words}


def test_uploads_verdicts_and_findings_are_counted_by_their_words() -> None:
    take(suite(5), 1)
    take(FLIPPED, 2)
    Upload.objects.filter(run__sha__endswith="1").update(state=UploadState.DEAD)

    samples = scrape()

    assert samples["tiebreak_uploads", "judged"] == 1
    assert samples["tiebreak_uploads", "dead"] == 1
    assert samples["tiebreak_verdicts_24h", "on_hold"] == 1
    assert samples["tiebreak_verdicts_24h", "passed"] == 1
    assert samples["tiebreak_findings_24h", "near_tie"] == 1
    assert sum(value for (name, _), value in samples.items() if "findings" in name) == 1


def test_what_is_older_than_its_window_is_not_counted() -> None:
    take(FLIPPED, 1)
    Upload.objects.update(received_at=ago(days=8))
    Verdict.objects.update(judged_at=ago(hours=25))

    assert set(scrape().values()) == {0.0}


def test_a_verdict_that_was_judged_again_counts_once() -> None:
    run = upload(FLIPPED, 1).run
    judge(run)

    samples = scrape()

    assert samples["tiebreak_verdicts_24h", "on_hold"] == 1
    assert samples["tiebreak_findings_24h", "near_tie"] == 1


def test_the_oldest_open_upload_is_told_in_seconds() -> None:
    take(suite(5), 1)
    Upload.objects.update(state=UploadState.RECEIVED, received_at=ago(minutes=10))

    assert scrape()["tiebreak_oldest_waiting_seconds", "upload"] == pytest.approx(600, abs=30)


def test_the_oldest_of_each_outbox_is_told_in_seconds() -> None:
    take(suite(5), 1)
    make_publication(changed_at=ago(minutes=1))
    repository = make_repository("acme/other")
    channel = Channel.objects.create(repository=repository, name="a", kind="webhook")
    told = {"repository": repository, "channel": channel}
    Delivery.objects.create(due_at=ago(minutes=2), **told)
    Delivery.objects.create(due_at=ago(minutes=-60), is_bundle=True, **told)
    WebhookDelivery.objects.create(delivery_id="1", body={}, received_at=ago(minutes=3))

    samples = scrape()

    for kind, seconds in (("publication", 60), ("delivery", 120), ("webhook", 180)):
        assert samples["tiebreak_oldest_waiting_seconds", kind] == pytest.approx(seconds, abs=30)


def test_a_message_that_waits_for_its_hour_is_not_late() -> None:
    repository = make_repository()
    channel = Channel.objects.create(repository=repository, name="a", kind="webhook")
    Delivery.objects.create(repository=repository, channel=channel, due_at=ago(hours=-1))

    assert scrape()["tiebreak_oldest_waiting_seconds", "delivery"] == 0


def test_failures_of_github_are_told_by_state_and_given_up_webhooks_apart() -> None:
    take(suite(5), 1)
    make_publication(error="502", state=PublicationState.WAITING)
    make_publication(kind="comment", subject="1", error="403", state=PublicationState.FAILED)
    make_publication(kind="comment", subject="2", state=PublicationState.DONE)
    WebhookDelivery.objects.create(
        delivery_id="1", body={}, attempts=MOST_TRIES, received_at=ago(days=1)
    )

    samples = scrape()

    states = {
        label: value for (name, label), value in samples.items() if name.endswith("_failures")
    }
    assert states == {"waiting": 1, "failed": 1, "done": 0, "dropped": 0}
    assert samples["tiebreak_webhooks_given_up", ""] == 1
    assert samples["tiebreak_oldest_waiting_seconds", "webhook"] == 0


def test_latency_goes_from_the_upload_to_the_verdict_that_it_asked_for() -> None:
    for number, seconds in ((1, 2.0), (2, 4.0), (3, 6.0)):
        run = upload(FLIPPED, number).run
        judged_at = Verdict.objects.get(run=run).judged_at
        Upload.objects.filter(run=run).update(received_at=judged_at - timedelta(seconds=seconds))
    # Judged again without another upload, as after a decision: no wait of anybody.
    judge(run)

    samples = scrape()

    assert samples["tiebreak_verdict_latency_1h_count", ""] == 3
    assert samples["tiebreak_verdict_latency_1h_seconds_sum", ""] == pytest.approx(12)
    assert samples["tiebreak_verdict_latency_1h_seconds", "0.5"] == pytest.approx(4)
    assert samples["tiebreak_verdict_latency_1h_seconds", "0.99"] == pytest.approx(5.96)


def test_a_scrape_takes_the_same_queries_however_much_there_is() -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            scrape()
        return len(captured)

    empty = queries()
    for number in range(1, 4):
        take(FLIPPED, number, repo=f"acme/number-{number}")

    assert queries() == empty == 10


def test_no_name_of_a_repository_is_told() -> None:
    take(FLIPPED, 1)

    assert REPO.encode() not in Client().get("/metrics").content


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1"])
def test_without_a_token_this_machine_is_answered(address: str) -> None:
    assert Client(REMOTE_ADDR=address).get("/metrics").status_code == 200


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        (OUTSIDE, {}),
        ("", {}),
        ("127.0.0.1", {"X-Forwarded-For": OUTSIDE}),
        ("127.0.0.1", {"Forwarded": f"for={OUTSIDE}"}),
    ],
)
def test_without_a_token_others_are_told_what_to_set(address: str, headers: dict[str, str]) -> None:
    response = Client(REMOTE_ADDR=address).get("/metrics", headers=headers)

    assert response.status_code == 403
    assert "METRICS_TOKEN is not set" in response.content.decode()
    assert "tiebreak_uploads" not in response.content.decode()


@pytest.mark.parametrize("sent", ["", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer tökén"])
def test_with_a_token_nobody_else_is_answered(settings: Any, sent: str) -> None:
    settings.METRICS_TOKEN = TOKEN
    response = Client().get("/metrics", headers={"Authorization": sent})

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert TOKEN not in response.content.decode()


def test_with_the_token_everybody_is_answered(settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN
    client = Client(REMOTE_ADDR=OUTSIDE)
    response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})

    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain; version=")
    assert b"# HELP tiebreak_uploads " in response.content
