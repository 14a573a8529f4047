"""The product's settings on throwaway files, whatever the shell's own settings are."""

import atexit
import os
import shutil
import tempfile

# Set before the product reads them, and inherited by the processes that tests start. A database
# that the shell names for real work must not be reached by a test, so it is replaced as well.
DATA_DIR = tempfile.mkdtemp(prefix="tiebreak-tests-")
atexit.register(shutil.rmtree, DATA_DIR, ignore_errors=True)
os.environ |= {
    "TIEBREAK_DATA_DIR": DATA_DIR,
    "DATABASE_URL": os.environ.get("TEST_DATABASE_URL", ""),
    "BROKER_URL": "",
    "STORAGE_URL": "",
    "SECRET_KEY": "for-tests-only-" + "0" * 40,
    "TIEBREAK_URL": "http://127.0.0.1:8000",
    "ALLOWED_HOSTS": "",
    "DEBUG": "false",
    "METRICS_TOKEN": "",
    "LOG_FORMAT": "line",
    "SENTRY_DSN": "",
    "FIELD_KEYS": "",
    "GITHUB_APP_ID": "0",
    "GITHUB_APP_SLUG": "",
    "GITHUB_PRIVATE_KEY": "",
    "GITHUB_WEBHOOK_SECRET": "",
    "GITHUB_API_URL": "https://api.github.com",
    "GITHUB_CLIENT_ID": "",
    "GITHUB_CLIENT_SECRET": "",
    "GITHUB_ID_TOKEN_ISSUERS": "https://token.actions.githubusercontent.com",
    # Small arrays: threads of linear algebra would only take the cores from the servers' processes.
    "OPENBLAS_NUM_THREADS": "1",
}

from triage.settings import *  # noqa: E402, F403
from triage.settings import DATABASES  # noqa: E402

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, because a database in memory is seen by one process and locks whole tables.
    DATABASES["default"]["TEST"] = {"NAME": f"{DATA_DIR}/test.sqlite3"}
