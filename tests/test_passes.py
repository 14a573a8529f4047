"""A green run in CI has met every server."""

from types import SimpleNamespace

import pytest

from tests.passes import DatabasePass, is_on_postgres
from tests.servers.missing import stop_without

WHOLE_SUITE = SimpleNamespace(
    option=SimpleNamespace(keyword="", markexpr="", collectonly=False),
    args_source=pytest.Config.ArgsSource.TESTPATHS,
)


def test_a_missing_server_skips_at_a_desk_and_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no Redis on this machine; install it"):
        stop_without("Redis", "install it")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no Redis on this machine; install it"):
        stop_without("Redis", "install it")


@pytest.mark.parametrize(
    ("database", "needed"), [("", ["browser"]), ("postgresql://x/y", ["broker", "postgres"])]
)
def test_a_pass_in_ci_that_met_no_server_names_what_it_missed(
    monkeypatch: pytest.MonkeyPatch, database: str, needed: list[str]
) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("TEST_DATABASE_URL", database)
    suite = DatabasePass(WHOLE_SUITE)
    assert is_on_postgres() == bool(database)
    assert suite.unmet() == needed
    for mark in needed:
        suite.pytest_runtest_logreport(ran(mark, is_skipped=True))
    assert suite.unmet() == needed
    for mark in needed:
        suite.pytest_runtest_logreport(ran(mark, is_skipped=False))
    assert suite.unmet() == []


def ran(mark: str, *, is_skipped: bool) -> SimpleNamespace:
    """Return the report of a test with a mark."""
    return SimpleNamespace(when="call", skipped=is_skipped, keywords={mark: 1})
