"""gotestsum, nextest, Catch2 and CTest."""

from triage.parse.dialects.dialect import Dialect, Group, Traits
from triage.terms import Merge


def go_entries(group: Group) -> Merge:
    """gotestsum: with -count every test occurs equally often, with --rerun-fails the failed do."""
    return Merge.REPETITION if group.is_uniform else Merge.RETRY


def is_go(traits: Traits) -> bool:
    """Whether gotestsum or go-junit-report wrote it."""
    return "go.version" in traits.properties


def is_nextest(traits: Traits) -> bool:
    """Whether cargo-nextest wrote it."""
    return traits.root_name == "nextest-run"


def is_catch2(traits: Traits) -> bool:
    """Whether Catch2 wrote it: it names its global class, or tags that expect a failure."""
    if traits.first_case.get("classname", "").endswith(".global"):
        return True
    return "skipped" in traits.document.tags and any(
        child.tag == "skipped" and "!mayfail" in child.attributes.get("message", "")
        for case in traits.document.cases
        for child in case.children
    )


def is_ctest(traits: Traits) -> bool:
    """Whether CTest wrote it."""
    case = traits.first_case
    return (
        traits.document.root == "testsuite"
        and case.get("status") in {"run", "fail", "notrun", "disabled"}
        and case.get("classname") == case.get("name")
    )


GOTESTSUM = Dialect(
    "gotestsum",
    is_go,
    go_entries,
    lists_failures_first=True,
    lost_errors="a package that does not compile stands in the counter of errors only",
)
NEXTEST = Dialect("nextest", is_nextest)
CATCH2 = Dialect("catch2", is_catch2, skipped_beats_failed=True)
CTEST = Dialect("ctest", is_ctest, hides_retries=True, broken_skip="Unable to find executable")
