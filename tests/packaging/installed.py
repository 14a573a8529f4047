"""An installed copy, run from a folder that has nothing to do with the checkout."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.ports import LOOPBACK
from tests.servers.processes import Child, running

KEPT = ("PATH", "HOME", "LANG", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True)
class Installed:
    """Where the programs and the packages of a copy are, and the folder one works in."""

    bin: Path
    packages: Path
    work: Path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command ``tiebreak`` to its end."""
        return subprocess.run(
            self._command(arguments),
            cwd=self._work(),
            env=self._environment(),
            text=True,
            capture_output=True,
            check=False,
        )

    def serving(self, port: int) -> AbstractContextManager[Child]:
        """Run ``tiebreak serve`` for the length of a block."""
        command = self._command(["serve", "--host", LOOPBACK, "--port", str(port)])
        return running(command, ready="Serving on", env=self._environment(), cwd=self._work())

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return [str(self.bin / "tiebreak"), *arguments]

    def _environment(self) -> dict[str, str]:
        """Return an environment without any setting of the product."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return kept | {"PYTHONUNBUFFERED": "1"}

    def _work(self) -> Path:
        self.work.mkdir(exist_ok=True)
        return self.work
