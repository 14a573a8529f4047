"""What makes two entries the same case."""

import unicodedata

from triage.parse.identity import case_key, repository_path
from triage.parse.report import CaseName


def key(suite: tuple[str, ...] = (), file: str = "", classname: str = "c", name: str = "t") -> str:
    """Return the key of a case."""
    return case_key(CaseName(suite, file, classname, name))


def test_suites_are_no_part_of_a_case_whose_class_is_told() -> None:
    assert key(suite=("run-20261201",)) == key(suite=("run-20261202",))


def test_suites_tell_cases_apart_where_the_class_says_nothing() -> None:
    assert key(("a",), classname="") != key(("b",), classname="")
    assert key(("a",), classname="test") != key(("b",), classname="test")


def test_files_tell_cases_of_one_class_name_apart() -> None:
    assert key(file="a.py") != key(file="b.py")


def test_the_same_text_in_another_normal_form_is_the_same_case() -> None:
    composed = unicodedata.normalize("NFC", "é")
    assert key(name=composed) == key(name=unicodedata.normalize("NFD", composed))


def test_where_a_runner_put_the_checkout_is_no_part_of_a_path() -> None:
    assert repository_path("/home/runner/work/r/r/tests/a.py") == "tests/a.py"
    assert repository_path("D:/a/r/r/tests/a.py") == "tests/a.py"
    assert repository_path("./tests\\a.py") == "tests/a.py"


def test_a_name_of_any_length_has_a_key() -> None:
    assert len(key(name="n" * 100_000)) == 64


def test_the_time_of_a_run_in_a_suite_s_name_is_no_part_of_identity() -> None:
    first, second = (
        CaseName((f"mod.Case-202612010109{second}",), "", "", "t") for second in (14, 59)
    )

    assert case_key(first) == case_key(second)
    assert case_key(first) != case_key(CaseName(("mod.Other-20261201010914",), "", "", "t"))
