"""A PostgreSQL for benchmarks, with the product's tables and its settings."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from tests.servers import postgres

# As a server is run: writes reach the disk, memory for what is read often.
SERVER_OPTIONS = "-c shared_buffers=512MB -c max_wal_size=4GB -c work_mem=16MB"


@contextmanager
def product_database() -> Iterator[None]:
    """Start a server, point the product at it and bring its tables up to date."""
    programs = postgres.find_programs()
    if programs is None:
        sys.exit(f"no PostgreSQL on this machine; {postgres.REMEDY}")
    with (
        postgres.throwaway_cluster(programs, SERVER_OPTIONS) as cluster,
        tempfile.TemporaryDirectory() as folder,
    ):
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "triage.settings",
            "DATABASE_URL": cluster.url.rsplit("/", 1)[0] + "/postgres",
            "BROKER_URL": "",
            "TIEBREAK_DATA_DIR": folder,
            "OPENBLAS_NUM_THREADS": "1",
        }
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connections

        call_command("migrate", verbosity=0)
        yield
        connections.close_all()
        connections["default"].close_pool()
