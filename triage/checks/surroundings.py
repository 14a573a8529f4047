"""What stands around the service: settings, database, clock, storage, disk, broker, workers."""

import os
import platform
import shutil
import uuid
from datetime import timedelta
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from triage.checks.running import CheckResult, CheckState
from triage.version import VERSION

BROKER_TIMEOUT_S = 3
LEAST_FREE_BYTES = 1024**3
LARGEST_CLOCK_SKEW = timedelta(seconds=5)


def check_version() -> CheckResult:
    """What runs here, and where it keeps its data; never wrong by itself."""
    folder = settings.ENVIRONMENT.TIEBREAK_DATA_DIR.resolve()
    told = f"tiebreak {VERSION} on Python {platform.python_version()}, data in {folder}"
    return CheckResult("version", CheckState.OK, told)


def check_settings() -> CheckResult:
    """Whether what is set is fit for production."""
    wrong = []
    if settings.DEBUG:
        wrong.append("DEBUG is on, which shows internals to everybody")
    if not os.environ.get("SECRET_KEY"):
        wrong.append("SECRET_KEY is the one kept in the data directory; several hosts need one")
    if wrong:
        return CheckResult("settings", CheckState.WARN, "; ".join(wrong), "see README")
    return CheckResult("settings", CheckState.OK, "fit for production")


def check_addresses() -> CheckResult:
    """Whether links in messages lead anywhere from outside."""
    url = settings.TIEBREAK_URL
    if url.startswith(("http://127.0.0.1", "http://localhost")):
        return CheckResult(
            "address", CheckState.WARN, f"TIEBREAK_URL is {url}",
            "set it to the address that people and CI use",
        )  # fmt: skip
    state = CheckState.OK if url.startswith("https://") else CheckState.WARN
    remedy = "" if state is CheckState.OK else "tokens and sessions travel unencrypted over http"
    return CheckResult("address", state, f"TIEBREAK_URL is {url}", remedy)


def check_database() -> CheckResult:
    """Whether the database answers."""
    place = "{HOST}:{PORT}/{NAME}".format_map(connection.settings_dict).lstrip(":")
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except OperationalError as error:
        told = f"{connection.vendor} at {place} does not answer: {error}".strip()
        return CheckResult("database", CheckState.FAIL, told, "start it, or correct DATABASE_URL")
    return CheckResult("database", CheckState.OK, f"{connection.vendor} answers")


def check_migrations() -> CheckResult:
    """Whether all tables are up to date."""
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        return CheckResult(
            "tables", CheckState.FAIL, f"{len(missing)} migrations are missing",
            "run tiebreak migrate",
        )  # fmt: skip
    return CheckResult("tables", CheckState.OK, "all migrations are applied")


def check_clock() -> CheckResult:
    """Whether this machine and the database agree on the time."""
    if connection.vendor != "postgresql":
        return CheckResult("clock", CheckState.OK, "one machine, one clock")
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        skew = abs(timezone.now() - cursor.fetchone()[0])
    state = CheckState.FAIL if skew > LARGEST_CLOCK_SKEW else CheckState.OK
    remedy = "" if state is CheckState.OK else "let both machines follow NTP: leases rest on time"
    return CheckResult("clock", state, f"{skew.total_seconds():.1f} s from the database's", remedy)


def check_storage() -> CheckResult:
    """Whether raw uploads can be written, read and deleted."""
    storage = storages["uploads"]
    name = storage.save(f"check/{uuid.uuid4()}", ContentFile(b"tiebreak"))
    with storage.open(name) as file:
        is_same = file.read() == b"tiebreak"
    storage.delete(name)
    state = CheckState.OK if is_same else CheckState.FAIL
    return CheckResult("storage", state, "a file was written, read and deleted")


def check_disk() -> CheckResult:
    """Whether the data directory has room."""
    folder = Path(settings.ENVIRONMENT.TIEBREAK_DATA_DIR)
    free = shutil.disk_usage(folder if folder.exists() else Path.cwd()).free
    told = f"{free / 1024**3:.1f} GiB free"
    if free < LEAST_FREE_BYTES:
        remedy = "uploads are refused when it is full; free some or move TIEBREAK_DATA_DIR"
        return CheckResult("disk", CheckState.WARN, told, remedy)
    return CheckResult("disk", CheckState.OK, told)


def check_broker() -> CheckResult:
    """Whether the broker answers, where one is set."""
    if not settings.BROKER_URL:
        return CheckResult("broker", CheckState.OK, "none is set: work is done in the web process")
    with current_app.connection_for_write(connect_timeout=BROKER_TIMEOUT_S) as broker:
        broker.ensure_connection(max_retries=1, timeout=BROKER_TIMEOUT_S)
    return CheckResult("broker", CheckState.OK, "it answers")


def check_workers() -> CheckResult:
    """Whether a worker is alive, where there is a broker."""
    if not settings.BROKER_URL:
        return CheckResult("workers", CheckState.OK, "none are needed without a broker")
    alive = current_app.control.ping(timeout=BROKER_TIMEOUT_S)
    if not alive:
        return CheckResult("workers", CheckState.FAIL, "no worker answers", "start tiebreak worker")
    return CheckResult("workers", CheckState.OK, f"{len(alive)} answer")
