"""The suite runs twice, on SQLite and on PostgreSQL: which tests each pass takes and must run."""

import os
from collections import Counter

import pytest

from tests.servers.missing import is_ci

DATABASE_FIXTURES = frozenset({"db", "transactional_db", "live_server"})
# With these marks missing from what ran, a green run in CI would have proved less than it says.
NEEDED_ON_SQLITE = frozenset({"browser"})
NEEDED_ON_POSTGRES = frozenset({"broker", "postgres"})


def is_on_postgres() -> bool:
    """Tell whether this is the pass on PostgreSQL."""
    return bool(os.environ.get("TEST_DATABASE_URL"))


class DatabasePass:
    """Chooses the tests of one pass and, in CI, fails a pass that left a server out."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.ran: Counter[str] = Counter()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out the tests to which this pass's database makes no difference."""
        kept = [item for item in items if belongs_to_pass(item, on_postgres=is_on_postgres())]
        left_out = [item for item in items if item not in set(kept)]
        self.config.hook.pytest_deselected(items=left_out)
        items[:] = kept
        if is_on_postgres():
            for item in items:
                item.add_marker("postgres")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the marks of tests that ran; a skipped test ran nothing."""
        if report.when == "call" and not report.skipped:
            self.ran.update(NEEDED_ON_SQLITE.union(NEEDED_ON_POSTGRES) & set(report.keywords))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Turn a green run in CI red when a server was never met."""
        if self.unmet() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say which tests are missing."""
        for mark in self.unmet():
            terminalreporter.write_line(f"ERROR no test marked {mark!r} ran in this pass", red=True)

    def unmet(self) -> list[str]:
        """Return the marks that had to run and did not; only a whole suite in CI must run any."""
        if not (is_ci() and _is_whole_suite(self.config)):
            return []
        needed = NEEDED_ON_POSTGRES if is_on_postgres() else NEEDED_ON_SQLITE
        return sorted(mark for mark in needed if not self.ran[mark])


def belongs_to_pass(item: pytest.Item, *, on_postgres: bool) -> bool:
    """Tell whether a test is for this pass: PostgreSQL gets those that use the database."""
    marks = {mark.name for mark in item.iter_markers()}
    if not on_postgres:
        return "postgres" not in marks
    # Pages look the same on every database, and a browser takes its time.
    if "browser" in marks:
        return "postgres" in marks
    fixtures = set(getattr(item, "fixturenames", ()))
    return bool(marks & {"postgres", "django_db"} or fixtures & DATABASE_FIXTURES)


def _is_whole_suite(config: pytest.Config) -> bool:
    options = config.option
    is_narrowed = options.keyword or options.markexpr or options.collectonly
    is_worker = hasattr(config, "workerinput")
    return (
        config.args_source is pytest.Config.ArgsSource.TESTPATHS
        and not is_narrowed
        and not is_worker
    )
