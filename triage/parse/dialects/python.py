"""pytest and its plugins for repeating and retrying."""

from triage.parse.dialects.dialect import Dialect, Group, Traits
from triage.terms import Merge

# The order in which pytest has written these attributes since 5.1, whatever the suite is called.
ATTRIBUTES = (
    *("name", "errors", "failures", "skipped", "tests", "time"),
    *("timestamp", "hostname"),
)


def pytest_entries(group: Group) -> Merge:
    """pytest writes a second entry when teardown fails; its plugins write one per attempt.

    A teardown error says so in its message. Everything else is an attempt: pytest's own names
    are unique.
    """
    last = group.raws[-1].children
    is_teardown = any("teardown" in child.attributes.get("message", "") for child in last)
    return Merge.PHASES if is_teardown and len(group.raws) == 2 else Merge.RETRY


def is_pytest(traits: Traits) -> bool:
    """Whether pytest wrote it."""
    return (
        traits.suite_name == "pytest"
        or traits.root_name == "pytest tests"
        or traits.first_case.get("file", "").endswith(".py")
        or tuple(traits.suite) == ATTRIBUTES
    )


PYTEST = Dialect(
    "pytest",
    is_pytest,
    pytest_entries,
    # pytest-rerunfailures and flaky write one blank entry per failed attempt, the last is real.
    blanks_are_failures=True,
    # pytest-repeat, and deepeval's --repeat.
    numbers_repetitions=True,
)
