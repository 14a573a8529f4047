"""The product as it is first tried: one process, SQLite, no broker; with what a client needs."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.servers import product
from tests.servers.ports import LOOPBACK, free_port

# One process, since loading the product is most of the time.
SET_UP = """
import sys, django
django.setup()
from django.core.management import call_command
call_command("migrate", interactive=False, verbosity=0)
for full_name in sys.argv[1:]:
    call_command("create_token", full_name)
"""


@dataclass(frozen=True)
class Embedded:
    """A running server, and a token for each of its repositories."""

    url: str
    tokens: dict[str, str]

    def read(self, path: str, repo: str) -> dict[str, Any]:
        """Return what the API answers about a repository."""
        request = urllib.request.Request(f"{self.url}/api/v1/{path}")
        request.add_header("Authorization", f"Bearer {self.tokens[repo]}")
        with urllib.request.urlopen(request) as response:
            document: dict[str, Any] = json.load(response)
        return document


@contextmanager
def embedded(*repositories: str) -> Iterator[Embedded]:
    """Run the server for the length of a block."""
    with TemporaryDirectory(prefix="tiebreak-embedded-") as folder:
        port = free_port()
        url = f"http://{LOOPBACK}:{port}"
        env = product.plain_environment(f"sqlite:///{Path(folder) / 'db.sqlite3'}")
        env |= {"TIEBREAK_DATA_DIR": folder, "TIEBREAK_URL": url}
        command = [sys.executable, "-c", SET_UP, *repositories]
        done = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True)
        secrets = [line for line in done.stdout.splitlines() if line.startswith("tbk_")]
        with product.web_server(env, port) as process:
            process.wait_until_ready()
            yield Embedded(url, dict(zip(repositories, secrets, strict=True)))


def client_environment(server_url: str, token: str, **told: str) -> dict[str, str]:
    """Return the environment of a job: nothing of CI but what is told."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "TIEBREAK_URL": server_url,
        "TIEBREAK_TOKEN": token,
        "TIEBREAK_RETRY_S": "0",
        **told,
    }
