"""Make sure that the tables are there before a command works on them."""

from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

BAD_SETUP = 2


def ensure_tables() -> None:
    """Bring the embedded database up to date; ask for it where others may depend on the tables.

    SQLite belongs to this machine alone, so a first command need not be preceded by another one.
    """
    executor = MigrationExecutor(connection)
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return
    if connection.vendor == "sqlite":
        call_command("migrate", interactive=False, verbosity=0)
        return
    raise CommandError(
        "the database has no up-to-date tables; run 'tiebreak migrate' first",
        returncode=BAD_SETUP,
    )
