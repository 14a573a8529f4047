"""How each test runner is told which tests to repeat."""

import re
from pathlib import Path

import pytest

from triage.client import (
    Asked,
    ClientError,
    fill,
    names_for_go,
    names_for_jest,
    names_for_maven,
    names_for_pytest,
    names_for_rspec,
    runner_of,
)


def asked(name: str, classname: str = "", file: str = "") -> Asked:
    """Return a case that is to be repeated."""
    return Asked(f"{classname}::{name}", file, classname, name, 3)


def test_pytest_takes_node_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests" / "evals").mkdir(parents=True)
    (tmp_path / "tests" / "evals" / "test_refunds.py").touch()
    cases = [
        asked("test_ticket[a::b/c.d]", "tests.evals.test_refunds"),
        asked("test_x", "tests.evals.test_refunds.TestOuter.TestInner"),
        asked("test_y", "tests.test_told.TestTold", "tests/test_told.py"),
    ]

    assert names_for_pytest(cases) == [
        "tests/evals/test_refunds.py::test_ticket[a::b/c.d]",
        "tests/evals/test_refunds.py::TestOuter::TestInner::test_x",
        "tests/test_told.py::TestTold::test_y",
    ]


def test_a_test_whose_file_is_not_there_is_named() -> None:
    with pytest.raises(ClientError, match=r"no test file belongs to 'nowhere.test_a'"):
        names_for_pytest([asked("test_a", "nowhere.test_a")])


def test_jest_takes_a_pattern_of_full_names() -> None:
    (pattern,) = names_for_jest([asked("refunds pays (once)"), asked("refunds declines?")])

    assert pattern == r"^refunds pays \(once\)$|^refunds declines\?$"
    assert re.search(pattern, "refunds pays (once)")
    assert not re.search(pattern, "refunds pays (once) more")


def test_go_takes_a_pattern_per_level() -> None:
    (pattern,) = names_for_go([asked("TestRefund/fraud_1.5"), asked("TestAll")])

    assert pattern == r"^TestRefund$/^fraud_1\.5$|^TestAll$"


def test_maven_takes_methods_by_class() -> None:
    cases = [
        asked("pays(String)[1]", "com.acme.RefundTest"),
        asked("pays(String)[2]", "com.acme.RefundTest"),
        asked("declines", "com.acme.RefundTest"),
        asked("works", "com.acme.OtherTest"),
    ]

    assert names_for_maven(cases) == ["com.acme.RefundTest#pays+declines,com.acme.OtherTest#works"]


def test_rspec_takes_files_and_descriptions() -> None:
    cases = [
        asked("Refund pays", "spec.refund_spec", "./spec/refund_spec.rb"),
        asked("Refund declines", "spec.refund_spec"),
    ]

    assert names_for_rspec(cases) == [
        *("./spec/refund_spec.rb", "spec/refund_spec.rb"),
        *("-e", "Refund pays", "-e", "Refund declines"),
    ]


@pytest.mark.parametrize(
    ("command", "runner"),
    [
        ("pytest {tests}", "pytest"),
        ("python -m pytest {tests}", "pytest"),
        ("npx jest -t {tests}", "jest"),
        ("gotestsum --junitfile {report} -- -run {tests} ./...", "go"),
        ("./mvnw test -Dtest={tests}", "maven"),
        ("bundle exec rspec {tests}", "rspec"),
        ("make evals TESTS={tests}", "pytest"),
    ],
)
def test_the_runner_is_known_by_its_command(command: str, runner: str) -> None:
    assert runner_of(command.split()) == runner


def test_a_word_of_its_own_becomes_as_many_words_as_there_are_tests() -> None:
    command = ["pytest", "{tests}", "--junitxml={report}", "-k={tests}"]

    assert fill(command, ["a b", "c"], "/r.xml") == [
        *("pytest", "a b", "c", "--junitxml=/r.xml", "-k=a b c")
    ]
