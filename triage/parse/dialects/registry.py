"""The dialects that are known, in the order in which they are tried."""

from triage.parse.dialects.dialect import Dialect, Traits
from triage.parse.dialects.javascript import JAVASCRIPT, PLAYWRIGHT, WEB_TEST_RUNNER
from triage.parse.dialects.jvm import RERUN_ELEMENTS, SUREFIRE, TESTNG
from triage.parse.dialects.llm import PROMPTFOO
from triage.parse.dialects.native import CATCH2, CTEST, GOTESTSUM, NEXTEST
from triage.parse.dialects.python import PYTEST
from triage.parse.dialects.ruby import MINITEST
from triage.parse.xml_stream import RawDocument

PLAIN = Dialect("junit", lambda traits: True)

# The first that fits is taken, so the surest signs come first.
DIALECTS = (
    WEB_TEST_RUNNER,
    GOTESTSUM,
    NEXTEST,
    PROMPTFOO,
    *JAVASCRIPT,
    PYTEST,
    TESTNG,
    CATCH2,
    CTEST,
    MINITEST,
    RERUN_ELEMENTS,
    PLAYWRIGHT,
    SUREFIRE,
    PLAIN,
)


def detect(document: RawDocument) -> Dialect:
    """Return the dialect of a document."""
    traits = _traits(document)
    return next(dialect for dialect in DIALECTS if dialect.is_it(traits))


def _traits(document: RawDocument) -> Traits:
    suites = document.suites
    inner = next((suite for suite in suites if suite.path), None)
    return Traits(
        document,
        suites[0].attributes if suites and document.root == "testsuites" else {},
        inner.attributes if inner else {},
        document.cases[0].attributes if document.cases else {},
        frozenset(name for suite in suites for name, _ in suite.properties),
    )
