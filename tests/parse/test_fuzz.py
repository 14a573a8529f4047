"""Whatever bytes come, the reading ends with a report or a refusal."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parse.fuzz import examine, run

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
TAGS = ("testsuites", "testsuite", "testcase", "failure", "error", "skipped", "rerunFailure")
ATTRIBUTES = ("name", "classname", "time", "tests", "message", "type", "status", "file")


@st.composite
def elements(draw: st.DrawFn) -> str:
    """Return elements of JUnit's vocabulary, nested and named at will."""
    tag = draw(st.sampled_from(TAGS))
    told = draw(st.dictionaries(st.sampled_from(ATTRIBUTES), TEXT, max_size=3))
    attributes = "".join(f' {name}="{value}"' for name, value in told.items())
    inner = draw(st.lists(st.one_of(TEXT, elements()), max_size=3))
    return f"<{tag}{attributes}>{''.join(inner)}</{tag}>"


@settings(deadline=None, max_examples=100)
@given(elements())
def test_any_document_of_the_vocabulary_ends_with_a_report_or_a_refusal(document: str) -> None:
    examine(document.encode())


def test_mutated_reports_end_with_a_report_or_a_refusal() -> None:
    tally = run(count=300, seed=1)

    assert tally.findings == []
    assert tally.read > 30
