"""A child process that is ready when it says so, and gone when its block ends."""

import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

START_S = 90  # a worker that imports SciPy needs about 5 s, on a busy machine several times that
STOP_S = 10


class DidNotStartError(RuntimeError):
    """The process ended, or stayed silent, before it was ready."""


@dataclass
class Child:
    """A running process and every line it has written."""

    process: subprocess.Popen[str]
    ready: str
    lines: list[str] = field(default_factory=list)
    _is_settled: threading.Event = field(default_factory=threading.Event)
    _has_line: threading.Condition = field(default_factory=threading.Condition)

    @property
    def output(self) -> str:
        """What the process has written, for the message of a failing test."""
        return "".join(self.lines)

    def wait_until_ready(self) -> None:
        """Return once the awaited words were written; raise if they never are."""
        self._is_settled.wait(START_S)
        if self.ready not in self.output:
            raise DidNotStartError(
                f"{self.process.args!r} did not write {self.ready!r} within {START_S} s, or ended "
                f"before (status {self.process.poll()}); it wrote:\n{self.output}"
            )

    def wait_for(self, words: str) -> None:
        """Return once the process has written these words; fail if it never does."""
        with self._has_line:
            found = self._has_line.wait_for(lambda: words in self.output, START_S)
        assert found, f"{words!r} was not written; it wrote:\n{self.output}"

    def wait_until_dead(self) -> int:
        """Return the exit status of a process that ends by itself."""
        return self.process.wait(START_S)

    def kill(self) -> None:
        """End the process at once, the way ``kill -9`` does."""
        self.process.kill()
        self.process.wait(STOP_S)

    def stop(self) -> None:
        """Ask the process to end, and insist when it does not."""
        self.process.terminate()
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()

    def read(self) -> None:
        """Collect lines until the process closes its output."""
        assert self.process.stdout is not None
        with self.process.stdout:
            for line in self.process.stdout:
                with self._has_line:
                    self.lines.append(line)
                    self._has_line.notify_all()
                if self.ready in line:
                    self._is_settled.set()
        self._is_settled.set()


@contextmanager
def started(
    command: Sequence[str],
    *,
    ready: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Iterator[Child]:
    """Run a command for the length of a block, without waiting until it is ready."""
    process = subprocess.Popen(
        command, env=env, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    child = Child(process, ready)
    reader = threading.Thread(target=child.read, daemon=True)
    reader.start()
    try:
        yield child
    finally:
        child.stop()
        reader.join(STOP_S)


@contextmanager
def running(
    command: Sequence[str],
    *,
    ready: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Iterator[Child]:
    """Run a command for the length of a block, from the moment it writes ``ready``."""
    with started(command, ready=ready, env=env, cwd=cwd) as child:
        child.wait_until_ready()
        yield child
