"""Remove what an earlier demo left, and nothing that anybody else put there."""

import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

# SQLite keeps its journals beside the database.
SUFFIXES = ("", "-wal", "-shm", "-journal")
HAS_REPOSITORIES = "SELECT count(*) FROM sqlite_master WHERE name = 'triage_repository'"
REPOSITORIES = "SELECT full_name FROM triage_repository ORDER BY full_name"


class NotTheDemosError(Exception):
    """The database is not the demo's to remove."""


def start_clean(data_dir: Path, database: Mapping[str, Any], repo: str) -> None:
    """Remove the demo's database and raw uploads from the data directory.

    The caller holds no connection. Raises ``NotTheDemosError`` and removes nothing when the
    database lies elsewhere or holds another repository than the demo's.
    """
    path = _path_within(data_dir, database)
    if path.exists():
        _refuse_others(path, repo)
    for suffix in SUFFIXES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    shutil.rmtree(data_dir / "uploads" / repo, ignore_errors=True)


def _path_within(data_dir: Path, database: Mapping[str, Any]) -> Path:
    is_file = database["ENGINE"].endswith("sqlite3")
    path = Path(database["NAME"]).resolve() if is_file else None
    if path is None or data_dir.resolve() not in path.parents:
        raise NotTheDemosError(
            "the demo starts by removing its database, so it only works on a SQLite file inside "
            f"TIEBREAK_DATA_DIR={str(data_dir)!r}, got {str(database['NAME'])!r}; unset "
            "DATABASE_URL for the demo"
        )
    return path


def _refuse_others(path: Path, repo: str) -> None:
    try:
        others = [name for name in _repositories(path) if name != repo]
    except sqlite3.DatabaseError as error:
        raise NotTheDemosError(
            f"{str(path)!r} cannot be read ({error}); move it away to start the demo"
        ) from error
    if others:
        raise NotTheDemosError(
            f"{str(path)!r} holds the history of {others[0]!r}, which the demo would remove; set "
            "TIEBREAK_DATA_DIR to another folder for the demo"
        )


def _repositories(path: Path) -> list[str]:
    """Return the names of the repositories in a database, none when it has no tables yet."""
    with closing(sqlite3.connect(path)) as database:
        if database.execute(HAS_REPOSITORIES).fetchone() == (0,):
            return []
        return [name for (name,) in database.execute(REPOSITORIES)]
