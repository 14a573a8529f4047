"""Where the uploaders are, how they get there, and what a test does without them.

``python -m tests.clients.installed`` installs those of PyPI, with ``--npm`` Datadog's as well.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.servers.missing import stop_without

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / ".clients"
REQUIREMENTS = HERE / "requirements.txt"
STAMP = FOLDER / "requirements.txt"
PROGRAMS = FOLDER / "venv" / "bin"
DATADOG = FOLDER / "node_modules" / ".bin" / "datadog-ci"
# The newest of the version that the door was written for; it brings nothing else with it.
DATADOG_PACKAGE = "@datadog/datadog-ci@5"
REMEDY = "run 'make test-clients', which needs a package registry"
PIP = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def program(name: str) -> str:
    """Return an uploader that was installed from PyPI, or stop the test."""
    if not _is_current():
        stop_without(name, REMEDY)
    return str(PROGRAMS / name)


def curl() -> str:
    """Return curl, or stop the test."""
    return shutil.which("curl") or stop_without("curl", "install curl")


def install() -> bool:
    """Install the uploaders of PyPI; return whether they are there."""
    if _is_current():
        return True
    python = PROGRAMS / "python"
    steps = (
        [sys.executable, "-m", "venv", str(FOLDER / "venv")],
        [str(python), *PIP, "--requirement", str(REQUIREMENTS)],
    )
    if any(subprocess.run(step, check=False).returncode for step in steps):
        return False
    shutil.copy(REQUIREMENTS, STAMP)
    return True


def install_datadog() -> bool:
    """Install Datadog's uploader; return whether it is there."""
    npm = shutil.which("npm")
    if npm and not DATADOG.exists():
        command = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--prefix", str(FOLDER)]
        subprocess.run([*command, DATADOG_PACKAGE], check=False)
    return DATADOG.exists()


def _is_current() -> bool:
    return STAMP.exists() and STAMP.read_bytes() == REQUIREMENTS.read_bytes()


def main() -> int:
    """Install what the command line asks for; on a desk, what cannot be had is skipped later."""
    done = install()
    if "--npm" in sys.argv:
        done = install_datadog() and done
    if not done:
        print("not all uploaders could be installed; their tests are skipped, or fail in CI")
    return 0 if done or "--npm" not in sys.argv else 1


if __name__ == "__main__":
    sys.exit(main())
