"""CODEOWNERS as a forge reads it."""

import pytest

from triage.policy.matching import CaseNames
from triage.policy.owners import MOST_OWNERS, owners_of

OWNERS = """
*               @acme/all
tests/          @acme/core # ask @bob
/tests/evals/*  @acme/fraud @ada
tests/generated/
apps/**/logs    ops@acme.example
*.js            @acme/web
docs/with\\ blank.md @acme/docs
[unterminated   @acme/nobody
"""


def case(file: str = "", classname: str = "", title: str = "case") -> CaseNames:
    """Return a case with these names."""
    return CaseNames(title, file, classname, "test_a")


@pytest.mark.parametrize(
    ("file", "owners"),
    [
        ("tests/evals/test_refunds.py", ("@acme/fraud", "@ada")),
        # One star stays within a folder: a gitignore would take all beneath it.
        ("tests/evals/deep/test_refunds.py", ("@acme/core",)),
        ("tests/unit/test_a.py", ("@acme/core",)),
        ("./tests/unit/test_a.py", ("@acme/core",)),
        ("tests\\unit\\test_a.py", ("@acme/core",)),
        ("docs/a.md", ("@acme/all",)),
        ("docs/with blank.md", ("@acme/docs",)),
        ("tests/generated/a.py", ()),
        ("apps/a/b/logs/x", ("ops@acme.example",)),
        ("deep/in/it/a.js", ("@acme/web",)),
        ("", ()),
    ],
)
def test_the_last_line_that_fits_names_the_owners(file: str, owners: tuple[str, ...]) -> None:
    assert owners_of(OWNERS, case(file)) == owners


def test_a_reporter_that_tells_a_dotted_class_means_a_file() -> None:
    assert owners_of(OWNERS, case(classname="tests.evals.test_refunds")) == ("@acme/fraud", "@ada")


def test_without_a_file_nobody_owns_a_case() -> None:
    assert owners_of("", case("tests/a.py")) == ()


def test_many_owners_are_cut() -> None:
    line = "* " + " ".join(f"@owner-{number}" for number in range(50))

    assert len(owners_of(line, case("a.py"))) == MOST_OWNERS
