"""The machine's Chromium; ``python -m tests.servers.chromium`` installs it where it can."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.servers.missing import is_ci

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACOS_PROGRAMS = (
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
)
REMEDY = "install it with: apt-get install chromium (Debian), brew install chromium (macOS)"
# The last three keep the browser from calling its maker, which a closed network answers slowly.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> Path | None:
    """Return the browser's program, or None when there is none."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return Path(found)
    return next((program for program in MACOS_PROGRAMS if program.exists()), None)


def install() -> int:
    """Make sure that there is a Chromium; return the exit status for ``make``.

    Only root on Debian gets it installed: elsewhere it is the developer's machine to change.
    """
    if find_chromium():
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get"):
        env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
            subprocess.run(["apt-get", "--quiet", *arguments], env=env, check=True)
        return 0
    sys.stderr.write(f"no Chromium on this machine: page tests are skipped; {REMEDY}\n")
    return 1 if is_ci() else 0


if __name__ == "__main__":
    sys.exit(install())
