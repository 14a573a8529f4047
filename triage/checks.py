"""What this installation needs to work, each looked at once, with what to do where it fails."""

import os
import shutil
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from triage.errors import UnreadableSecretError
from triage.models import HookPass, Publication, Upload, WebhookDelivery
from triage.models.sealed import sealed_values
from triage.publish.app import github_app
from triage.publish.github.app_api import read_app
from triage.publish.github.rights import EVENTS, PERMISSIONS
from triage.sealing import unseal
from triage.terms import OPEN_UPLOADS, PublicationState, UploadState

BROKER_TIMEOUT_S = 3
LEAST_FREE_BYTES = 1024**3
LARGEST_CLOCK_SKEW = timedelta(seconds=5)
OLDEST_WAITING = timedelta(minutes=10)
# It is looked through every hour; one pass may be refused.
OLDEST_HOOK_PASS = timedelta(hours=3)


class CheckState(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found, and what to do about it."""

    name: str
    state: CheckState
    told: str
    remedy: str = ""


Check = Callable[[], CheckResult]


def run_checks(checks: Sequence[Check]) -> list[CheckResult]:
    """Run checks; one that breaks has failed."""
    return [_run(check) for check in checks]


def check_database() -> CheckResult:
    """Whether the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return CheckResult("database", CheckState.OK, f"{connection.vendor} answers")


def check_migrations() -> CheckResult:
    """Whether all tables are up to date."""
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        return CheckResult(
            "tables", CheckState.FAIL, f"{len(missing)} migrations are missing",
            "run manage.py migrate",
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
    # Asking for workers tries a dead broker for long; looking at it first ends at once.
    check_broker()
    alive = current_app.control.ping(timeout=BROKER_TIMEOUT_S)
    if not alive:
        return CheckResult(
            "workers", CheckState.FAIL, "no worker answers", "start celery -A triage worker"
        )
    return CheckResult("workers", CheckState.OK, f"{len(alive)} answer")


def check_queue() -> CheckResult:
    """Whether uploads are worked on, and none was set aside."""
    waiting = Upload.objects.filter(state__in=OPEN_UPLOADS)
    late = waiting.filter(received_at__lt=timezone.now() - OLDEST_WAITING).count()
    dead = Upload.objects.filter(state=UploadState.DEAD).count()
    told = f"{waiting.count()} uploads wait, {late} for over ten minutes; {dead} were set aside"
    if late or dead:
        return CheckResult(
            "uploads",
            CheckState.WARN,
            told,
            "their reason stands on their page, which the page of their run leads to; then "
            "manage.py retry_upload --all",
        )
    return CheckResult("uploads", CheckState.OK, told)


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


def check_github() -> CheckResult:
    """Whether GitHub recognises the App, and it may do what it needs to."""
    app = github_app()
    if app is None:
        return CheckResult(
            "github", CheckState.OK, "no App is entered: verdicts are shown on our pages only"
        )
    source = "the environment" if app.is_from_environment else "the database"
    told = f"{app} at {app.api_url}, from {source}"
    rights = read_app(app.key)
    lacking = [
        f"{each.name}: {each.level}"
        for each in PERMISSIONS
        if not each.is_optional and not each.is_granted(rights.permissions)
    ] + [f"event {name}" for name in EVENTS if name not in rights.events]
    if lacking:
        remedy = "add them on the App's page, then accept them on each installation's"
        return CheckResult("github", CheckState.WARN, f"{told}, lacks {', '.join(lacking)}", remedy)
    return CheckResult("github", CheckState.OK, f"{told}; GitHub recognises it")


def check_webhooks() -> CheckResult:
    """Whether deliveries of GitHub are processed, and failed ones are asked for."""
    if github_app() is None:
        return CheckResult("webhooks", CheckState.OK, "none are awaited without an App")
    now = timezone.now()
    late = WebhookDelivery.objects.filter(
        processed_at__isnull=True, received_at__lt=now - OLDEST_WAITING
    ).count()
    is_looked_through = HookPass.objects.filter(until__gt=now - OLDEST_HOOK_PASS).exists()
    told = f"{late} deliveries wait for over ten minutes"
    if late:
        remedy = "their reason stands on /setup/github/; start a worker for the queue publish"
        return CheckResult("webhooks", CheckState.WARN, told, remedy)
    if not is_looked_through:
        told += "; failed ones were not asked for in the last three hours"
        remedy = "start beat (or manage.py serve without a broker) and a worker for publish"
        return CheckResult("webhooks", CheckState.WARN, told, remedy)
    return CheckResult("webhooks", CheckState.OK, f"{told}; failed ones are asked for every hour")


def check_publishing() -> CheckResult:
    """Whether forges took what was published in the last day."""
    newest = Publication.objects.filter(changed_at__gt=timezone.now() - timedelta(days=1))
    refused = newest.filter(state=PublicationState.FAILED)
    held = Publication.objects.filter(
        state=PublicationState.WAITING, next_try_at__gt=timezone.now() + OLDEST_WAITING
    )
    told = (
        f"{newest.count()} checks and comments in a day, {refused.count()} refused; "
        f"{held.count()} put off"
    )
    first = (refused | held).select_related("repository").order_by("-changed_at").first()
    if first:
        remedy = f"see the page of publishing of {first.repository}: {first.error[:120]}"
        return CheckResult("publishing", CheckState.WARN, told, remedy)
    return CheckResult("publishing", CheckState.OK, told)


def check_secrets() -> CheckResult:
    """Whether every stored secret can be decrypted."""
    found = list(sealed_values())
    unreadable = [each for each in found if not _is_readable(each.value)]
    if unreadable:
        return CheckResult(
            "secrets",
            CheckState.FAIL,
            f"{len(unreadable)} of {len(found)} cannot be decrypted, such as the {unreadable[0]}",
            "put the key that they were stored under back into FIELD_KEYS (or SECRET_KEY), or "
            "enter them again",
        )
    return CheckResult("secrets", CheckState.OK, f"all {len(found)} stored ones can be decrypted")


READINESS: Sequence[Check] = (check_database, check_migrations, check_storage, check_broker)
EVERYTHING: Sequence[Check] = (
    check_settings,
    check_addresses,
    check_database,
    check_migrations,
    check_clock,
    check_storage,
    check_disk,
    check_broker,
    check_workers,
    check_queue,
    check_secrets,
    check_github,
    check_webhooks,
    check_publishing,
)


def _is_readable(sealed: str) -> bool:
    try:
        unseal(sealed)
    except UnreadableSecretError:
        return False
    return True


def _run(check: Check) -> CheckResult:
    name = check.__name__.removeprefix("check_")
    try:
        return check()
    except Exception as error:
        told = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        return CheckResult(name, CheckState.FAIL, told[:300], REMEDIES.get(name, ""))


REMEDIES = {
    "database": "start it, or correct DATABASE_URL",
    "migrations": "start the database, then run manage.py migrate",
    "storage": "make TIEBREAK_DATA_DIR writable and give it room; with STORAGE_URL, correct it and "
    "the keys",
    "broker": "start it, or correct BROKER_URL; uploads are accepted and wait",
    "github": "see docs/github_setup.md; /setup/github/ shows it in full",
    "workers": "start the broker, then celery -A triage worker",
}
