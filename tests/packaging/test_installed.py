"""A copy that was installed from a wheel runs in any folder, without the checkout."""

import urllib.request

from tests.packaging.installed import Installed
from tests.servers.ports import LOOPBACK, free_port
from triage.version import VERSION

PATHS = {
    "/sign-in/": "text/html; charset=utf-8",
    "/static/css/base.css": 'text/css; charset="utf-8"',
    "/docs/": "text/html; charset=utf-8",
    "/docs/operations/": "text/html; charset=utf-8",
    "/docs/images/near-tie-held.png": "image/png",
    "/tiebreak.py": "text/x-python; charset=utf-8",
}


def answer(url: str) -> tuple[int, str]:
    """Return status and type of what an address answers."""
    with urllib.request.urlopen(url) as response:
        return response.status, response.headers["Content-Type"]


def test_it_makes_its_tables_where_one_works_and_serves_everything(installed: Installed) -> None:
    migrated = installed.run("migrate", "--noinput")
    assert migrated.returncode == 0, migrated.stderr
    doctor = installed.run("doctor")
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
    assert f"ok    version    tiebreak {VERSION} on Python " in doctor.stdout
    assert f", data in {installed.work / 'data'}\n" in doctor.stdout
    port = free_port()
    with installed.serving(port):
        answers = {path: answer(f"http://{LOOPBACK}:{port}{path}") for path in PATHS}

    assert answers == {path: (200, kind) for path, kind in PATHS.items()}
    assert (installed.work / "data" / "tiebreak.sqlite3").is_file()
    assert not (installed.packages / "data").exists()
