"""Every check in the order in which it is told, and those that a web process needs."""

from collections.abc import Sequence

from triage.checks.github import check_github, check_webhooks
from triage.checks.running import Check
from triage.checks.surroundings import (
    check_addresses,
    check_broker,
    check_clock,
    check_database,
    check_disk,
    check_migrations,
    check_settings,
    check_storage,
    check_version,
    check_workers,
)
from triage.checks.work import check_publishing, check_secrets, check_uploads

DATABASE = Check("database", check_database)
TABLES = Check("tables", check_migrations, "run tiebreak migrate", needs="database")
STORAGE = Check(
    "storage",
    check_storage,
    "make TIEBREAK_DATA_DIR writable and give it room; with STORAGE_URL, correct it and the keys",
)
BROKER = Check(
    "broker", check_broker, "start it, or correct BROKER_URL; uploads are accepted and wait"
)

READINESS: Sequence[Check] = (DATABASE, TABLES, STORAGE, BROKER)
EVERYTHING: Sequence[Check] = (
    Check("version", check_version),
    Check("settings", check_settings),
    Check("address", check_addresses),
    DATABASE,
    TABLES,
    Check("clock", check_clock, needs="database"),
    STORAGE,
    Check("disk", check_disk),
    BROKER,
    Check("workers", check_workers, "start tiebreak worker", needs="broker"),
    Check("uploads", check_uploads, needs="tables"),
    Check("secrets", check_secrets, needs="tables"),
    Check(
        "github",
        check_github,
        "see docs/github_setup.md; /setup/github/ shows it in full",
        needs="tables",
    ),
    Check("webhooks", check_webhooks, needs="tables"),
    Check("publishing", check_publishing, needs="tables"),
)
