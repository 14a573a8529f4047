import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.policy.document import BudgetRule, Policy
from triage.policy.globs import compile_glob
from triage.policy.matching import CaseNames, RuleMatcher, budget_rules, label_rules, llm_rules

PYTEST = CaseNames(
    "tests.evals.test_refunds::test_ticket[2]",
    "",
    "tests.evals.test_refunds",
    "test_ticket[2]",
)
PYTEST_CLASS = CaseNames(
    "tests.evals.test_refunds.TestRefunds::test_ticket",
    "",
    "tests.evals.test_refunds.TestRefunds",
    "test_ticket",
)
WITH_FILE = CaseNames(
    "tests/evals/test_refunds.py::test_ticket[a/b]",
    "tests/evals/test_refunds.py",
    "tests.evals.test_refunds",
    "test_ticket[a/b]",
)
JUNIT5 = CaseNames("com.acme.RefundTest::refunds()", "", "com.acme.RefundTest", "refunds()")
JEST = CaseNames(
    "src/refunds.test.ts::refunds pays", "src/refunds.test.ts", "refunds", "refunds pays"
)


def matches(pattern: str, case: CaseNames) -> bool:
    """Return whether a pattern alone matches a case."""
    return RuleMatcher("budgets", [BudgetRule(match=pattern)]).first(case) is not None


@pytest.mark.parametrize(
    ("case", "pattern"),
    [
        (PYTEST, "tests/evals/test_refunds.py::*"),
        (PYTEST, "tests/evals/test_refunds.py::test_ticket[2]"),
        (PYTEST, "tests/evals/test_refunds.py"),
        (PYTEST, "./tests/evals/**"),
        (PYTEST, "tests/*/test_refunds.py::test_*"),
        (PYTEST, "**/test_refunds.py::*[?]"),
        (PYTEST, "tests.evals.test_refunds::*"),
        (PYTEST, "**"),
        (PYTEST_CLASS, "tests/evals/test_refunds.py::TestRefunds::*"),
        (PYTEST_CLASS, "tests/evals/test_refunds.py::*"),
        (WITH_FILE, "tests/evals/test_refunds.py::*"),
        (WITH_FILE, "tests/**::test_ticket[a/b]"),
        (WITH_FILE, WITH_FILE.title),
        (JUNIT5, "com.acme.*"),
        (JUNIT5, "com/acme/**"),
        (JUNIT5, "com.acme.RefundTest::refunds()"),
        (JEST, "src/**::*pays"),
    ],
)
def test_a_case_is_matched_however_its_report_spells_it(case: CaseNames, pattern: str) -> None:
    assert matches(pattern, case)


@pytest.mark.parametrize(
    ("case", "pattern"),
    [
        (PYTEST, "tests/*"),
        (PYTEST, "evals/**"),
        (PYTEST, "tests/evals/test_refunds.py::test_ticket"),
        (PYTEST, "tests/evals/test_refund?.py::test_ticket"),
        (PYTEST, "tests/evals/*/**/test_refunds.py"),
        (WITH_FILE, "tests/evals/test_refunds.py::test_ticket[a?b"),
        (JUNIT5, "com.acme"),
        (JEST, "src/*.ts::refunds"),
    ],
)
def test_a_pattern_for_something_else_does_not_match(case: CaseNames, pattern: str) -> None:
    assert not matches(pattern, case)


def test_the_first_rule_that_matches_holds_and_says_so() -> None:
    policy = Policy.model_validate(
        {
            "version": 1,
            "budgets": [
                {"match": "tests/unit/**"},
                {"match": "tests/evals/**", "rate": "2.4%"},
                {"match": "**"},
            ],
        }
    )
    match = budget_rules(policy).first(PYTEST)
    assert match is not None
    assert match.rule.rate == 0.024
    assert match.sentence == "rule 2 of 3, budgets[1], matched tests/evals/**"


def test_the_first_rule_holds_even_where_a_later_one_fits_another_spelling_better() -> None:
    rules = [BudgetRule(match="tests/evals/**"), BudgetRule(match="tests.evals.test_refunds::*")]
    match = RuleMatcher("budgets", rules).first(PYTEST)
    assert match is not None
    assert match.index == 0


def test_each_section_has_its_matcher() -> None:
    policy = Policy.model_validate(
        {"version": 1, "llm_tests": ["tests/evals/**"], "labels": [{"match": "**"}]}
    )
    llm, label = llm_rules(policy).first(PYTEST), label_rules(policy).first(JEST)
    assert (llm and llm.sentence) == "rule 1 of 1, llm_tests[0], matched tests/evals/**"
    assert (label and label.sentence) == "rule 1 of 1, labels[0], matched **"
    assert llm_rules(policy).first(JEST) is None
    assert budget_rules(policy).first(PYTEST) is None


def as_regex(pattern: str) -> str:
    """Return what a pattern of folders means, in the plain way that may go back for ever."""
    parts = ["(?:[^/]+/)*" if p == "**" else f"{re.escape(p)}/" for p in pattern.split("/")]
    return "".join(parts).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")


@given(
    st.lists(st.sampled_from(["**", "a", "*a", "a*b", "?", "ab*a*b"]), min_size=1, max_size=5),
    st.lists(st.text("ab", min_size=1, max_size=5), min_size=1, max_size=6),
)
def test_a_pattern_means_what_its_regular_expression_means(
    pattern: list[str], path: list[str]
) -> None:
    expected = re.fullmatch(as_regex("/".join(pattern)), "/".join(path) + "/") is not None
    assert compile_glob("/".join(pattern)).fits_path("/".join(path)) == expected


def test_a_hostile_name_costs_no_more_than_its_length() -> None:
    started = time.process_time()
    for path in ("a" * 3_000, "a/" * 1_500, "b" + "a" * 3_000):
        case = CaseNames(f"{path}::{'a' * 3_000}", path, path, "a" * 3_000)
        assert not matches("**/*a*a*a*a*a*a*b/**/*a*a*a*a*b::*a*a*a*a*a*a*a*b", case)
    assert time.process_time() - started < 2.0


def test_ten_thousand_cases_and_two_hundred_rules_are_matched_in_a_moment() -> None:
    rules = [BudgetRule(match=f"tests/area_{n}/**::*") for n in range(200)]
    matcher = RuleMatcher("budgets", rules)
    cases = [
        CaseNames(f"tests.area_{n % 250}.test_{n % 40}::test_{n}", "",
                  f"tests.area_{n % 250}.test_{n % 40}", f"test_{n}")
        for n in range(10_000)
    ]  # fmt: skip
    started = time.process_time()
    found = [matcher.first(case) for case in cases]
    assert time.process_time() - started < 5.0
    assert sum(match is not None for match in found) == 8_000
