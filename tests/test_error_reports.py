"""What Sentry gets, from a process of its own, over a real connection."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.servers.receiver import Received, receiving
from triage.error_reports import start_reporting, without_secrets

PROJECT = Path(__file__).parent.parent
SECRET = "hunter2hunter2"
# A page of a database without tables fails; so does the task that logs after it.
PROGRAM = f"""
import logging, django
django.setup()
from django.test import Client
from triage.logs import belonging_to
headers = {{"Authorization": "Bearer {SECRET}", "X-Request-ID": "ci-job-4711"}}
client = Client(raise_request_exception=False, HTTP_HOST="127.0.0.1")
client.get("/?token={SECRET}", headers=headers)
with belonging_to(upload_id="7"):
    logging.getLogger("triage.x").error("no answer of redis://:{SECRET}@redis/0")
"""


def run(folder: Path, dsn: str) -> subprocess.CompletedProcess[str]:
    """Run the program with a data directory and a DSN of its own."""
    env = os.environ | {
        "DJANGO_SETTINGS_MODULE": "triage.settings",
        "TIEBREAK_DATA_DIR": str(folder),
        "DATABASE_URL": "",
        "SENTRY_DSN": dsn,
    }
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.run(
        command, cwd=PROJECT, env=env, text=True, capture_output=True, check=False
    )


def events_of(request: Received) -> list[dict[str, Any]]:
    """Return the events of an envelope: after its head, a line about each item and the item."""
    is_packed = request.headers.get("content-encoding") == "gzip"
    lines = (gzip.decompress(request.body) if is_packed else request.body).splitlines()
    items = list(zip(lines[1::2], lines[2::2], strict=True))
    return [json.loads(item) for about, item in items if json.loads(about)["type"] == "event"]


def test_an_error_is_sent_with_what_it_belongs_to_and_without_secrets(tmp_path: Path) -> None:
    with receiving() as sentry:
        done = run(tmp_path, f"http://key@127.0.0.1:{sentry.port}/1")
    events = [event for request in sentry.requests for event in events_of(request)]

    assert {request.path for request in sentry.requests} == {"/api/1/envelope/"}
    assert [event["tags"] for event in events] == [
        {"request_id": "ci-job-4711"},
        {"upload_id": "7"},
    ], done.stderr
    assert "no such table" in events[0]["exception"]["values"][-1]["value"]
    assert events[1]["logentry"]["message"] == "no answer of redis://***@redis/0"
    assert SECRET not in json.dumps(events)
    assert "user" not in events[0]
    assert "vars" not in json.dumps(events[0]["exception"])


def test_every_text_of_an_event_is_masked_however_deep() -> None:
    event: Any = {"extra": {"a": [{"b": f"password={SECRET}"}, 1]}}
    assert without_secrets(event, {}) == {
        "extra": {"a": [{"b": "password=***"}, 1]},
        "tags": {},
    }


def test_a_dsn_without_the_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    with pytest.raises(ImproperlyConfigured, match=r"^tiebreak\.E052 .* tiebreak\[sentry\]"):
        start_reporting("http://key@127.0.0.1:9/1")
