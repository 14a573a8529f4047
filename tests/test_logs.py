"""Log lines: what they say, what they belong to, and what they never say."""

import json
import logging
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from celery import current_app, shared_task
from django.test import Client

from tests.flows.suites import suite, upload
from triage.handing_over import hand_over
from triage.logs import JsonFormatter, LineFormatter, belonging_to, context, mask

SEEN: list[dict[str, str]] = []
REQUEST_ID = "ci-job-4711"
SECRET = "hunter2hunter2"

# The log line as it would be written, and what of it must be left.
SECRETS = [
    (f"Authorization: Bearer {SECRET}", "Authorization: Bearer ***"),
    (f"{{'Authorization': 'Basic {SECRET}'}}", "{'Authorization': 'Basic ***'}"),
    (f"authorization={SECRET}", "authorization=***"),
    (f"postgresql://tiebreak:{SECRET}@db/x", "postgresql://***@db/x"),
    (f"redis://:{SECRET}@redis:6379/0 is gone", "redis://***@redis:6379/0 is gone"),
    (f"password={SECRET}&user=a", "password=***&user=a"),
    (f'{{"client_secret": "{SECRET}"}}', '{"client_secret": "***"}'),
    (f"METRICS_TOKEN={SECRET} x", "METRICS_TOKEN=*** x"),
    (f"token tbk_{SECRET} is unknown", "token tbk_*** is unknown"),
    (f"ghs_{SECRET}", "ghs_***"),
    (f"eyJhbGci.{SECRET}.sig", "ey***"),
    (
        f"https://hooks.slack.com/services/T0/B0/{SECRET}",
        "https://hooks.slack.com/services/T0/B0/***",
    ),
    (f"GET /invitations/{SECRET}/ 200", "GET /invitations/***/ 200"),
]


def record(message: str, *args: object, **told: Any) -> logging.LogRecord:
    """Return a record as a logger makes it."""
    made = logging.LogRecord("triage.x", logging.INFO, __file__, 1, message, args, None)
    made.__dict__.update(told)
    return made


@shared_task(name="tests.see_context")
def see_context(key: str) -> None:
    """Keep what the log lines of a task would name."""
    SEEN.append(dict(context()))


@pytest.fixture
def broker_in_memory(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A broker whose messages stay in this process."""
    # Connections that another test opened lead to another broker.
    monkeypatch.setattr(current_app.amqp, "_producer_pool", None)
    before = current_app.conf.broker_url
    settings.BROKER_URL = current_app.conf.broker_url = "memory://"
    yield
    current_app.conf.broker_url = before


@pytest.mark.parametrize(("written", "left"), SECRETS)
def test_a_secret_is_masked_in_both_formats(written: str, left: str) -> None:
    assert mask(written) == left
    assert SECRET not in LineFormatter().format(record("%s", written))
    assert json.loads(JsonFormatter().format(record("%s", written)))["message"] == left


@pytest.mark.parametrize(
    "text", ["upload 7 (received)", "https://tiebreak.example.com/runs/1/", "3 tokens were made"]
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize("formatter", [LineFormatter(), JsonFormatter()])
def test_a_traceback_is_written_without_its_secrets(formatter: logging.Formatter) -> None:
    error = OSError(f"no answer of redis://:{SECRET}@redis/0")
    written = formatter.format(record("failed", exc_info=(OSError, error, None)))
    assert "OSError: no answer of redis://***@redis/0" in written


def test_a_line_ends_with_what_the_work_belongs_to() -> None:
    with belonging_to(request_id="r"), belonging_to(upload_id=7, run_id=None):
        line = LineFormatter().format(record("judged"))
    assert line.endswith("INFO triage.x: judged request_id=r upload_id=7")
    assert LineFormatter().format(record("judged")).endswith("judged")


def test_an_object_names_what_the_work_belongs_to_and_its_fields() -> None:
    with belonging_to(request_id="r"):
        written = JsonFormatter().format(record("done in %d ms", 5, fields={"duration_ms": 5}))
    told = json.loads(written)
    assert "\n" not in written
    assert told.pop("at").endswith("+00:00")
    assert told == {
        "level": "info",
        "logger": "triage.x",
        "message": "done in 5 ms",
        "request_id": "r",
        "duration_ms": 5,
    }


def test_every_request_is_logged_once_with_its_number(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "triage.web.access_log"):
        response = Client().get("/healthz?token=x", headers={"X-Request-ID": REQUEST_ID})

    (line,) = [each for each in caplog.records if each.name == "triage.web.access_log"]
    fields = line.__dict__["fields"]
    assert response["X-Request-ID"] == REQUEST_ID
    assert fields.pop("duration_ms") >= 0
    assert fields == {"method": "GET", "path": "/healthz", "status": 200}
    assert context() == {}


@pytest.mark.parametrize("given", ["", "short", "x" * 65, "two words here", "näme-näme-näme"])
def test_a_number_that_is_not_safe_is_replaced(given: str) -> None:
    answered = Client().get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"]
    assert uuid.UUID(hex=answered).version == 4


def test_a_task_that_is_handed_over_carries_the_number_of_the_request(
    broker_in_memory: None,
) -> None:
    with belonging_to(request_id=REQUEST_ID):
        hand_over("tests.see_context", "key", lambda: None)

    with current_app.connection_for_read() as connection:
        queue = connection.SimpleQueue(current_app.conf.task_default_queue)
        message = queue.get(block=False)
        message.ack()
        queue.close()
    assert message.headers["request_id"] == REQUEST_ID


def test_the_lines_of_a_task_name_it_and_the_request_that_it_came_from() -> None:
    SEEN.clear()
    done = see_context.apply(args=["key"], headers={"request_id": REQUEST_ID})
    (seen,) = SEEN
    assert seen == {"task_id": done.id, "request_id": REQUEST_ID}
    assert context() == {}


@pytest.mark.django_db
def test_the_lines_of_the_pipeline_name_upload_and_run(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []
    monkeypatch.setattr(
        "triage.pipeline.want_recent_verdict", lambda *_: seen.append(dict(context()))
    )
    taken = upload(suite(5), 1)
    assert seen == [{"upload_id": str(taken.pk), "run_id": str(taken.run_id)}]
