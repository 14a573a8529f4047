"""The demo removes its own database only."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from triage.demo.clean_start import REPOSITORIES, NotTheDemosError, start_clean
from triage.models import Repository

REPO = "acme/demo"


def sqlite_at(path: Path) -> dict[str, object]:
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": path}


def database_of(path: Path, *repositories: str) -> Path:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE triage_repository (full_name TEXT)")
        database.executemany("INSERT INTO triage_repository VALUES (?)", zip(repositories))
    return path


def test_the_demos_database_and_uploads_go_and_the_secret_key_stays(tmp_path: Path) -> None:
    path = database_of(tmp_path / "tiebreak.sqlite3", REPO)
    journal = tmp_path / "tiebreak.sqlite3-wal"
    journal.touch()
    uploads = tmp_path / "uploads" / REPO
    uploads.mkdir(parents=True)
    others = tmp_path / "uploads" / "acme" / "other"
    others.mkdir()
    key = tmp_path / "secret_key"
    key.write_text("kept")

    start_clean(tmp_path, sqlite_at(path), REPO)

    assert not path.exists()
    assert not journal.exists()
    assert not uploads.exists()
    assert others.exists()
    assert key.read_text() == "kept"


def test_a_database_that_is_not_there_yet_is_no_error(tmp_path: Path) -> None:
    start_clean(tmp_path, sqlite_at(tmp_path / "tiebreak.sqlite3"), REPO)

    assert list(tmp_path.iterdir()) == []


def test_a_database_outside_the_data_directory_is_refused(tmp_path: Path) -> None:
    path = database_of(tmp_path / "tiebreak.sqlite3", REPO)
    data_dir = tmp_path / "data"
    data_dir.mkdir()

    with pytest.raises(NotTheDemosError, match="unset DATABASE_URL"):
        start_clean(data_dir, sqlite_at(path), REPO)

    assert path.exists()


def test_a_postgresql_database_is_refused(tmp_path: Path) -> None:
    database = {"ENGINE": "django.db.backends.postgresql", "NAME": "tiebreak"}

    with pytest.raises(NotTheDemosError, match="got 'tiebreak'"):
        start_clean(tmp_path, database, REPO)


def test_the_history_of_another_repository_is_refused(tmp_path: Path) -> None:
    path = database_of(tmp_path / "tiebreak.sqlite3", REPO, "acme/refunds")

    with pytest.raises(NotTheDemosError, match="holds the history of 'acme/refunds'"):
        start_clean(tmp_path, sqlite_at(path), REPO)

    assert path.exists()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tiebreak.sqlite3"
    path.write_text("something else, and longer than the header of a database file " * 20)

    with pytest.raises(NotTheDemosError, match="cannot be read"):
        start_clean(tmp_path, sqlite_at(path), REPO)

    assert path.exists()


def test_the_table_that_is_asked_is_the_one_of_the_model() -> None:
    assert f"FROM {Repository._meta.db_table} " in REPOSITORIES
