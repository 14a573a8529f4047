"""Read the stated pairs out of a failure text: the first grammar that fits is the tool's."""

import re
from collections.abc import Callable
from dataclasses import replace

from triage.parse.failure_messages import javascript, jvm, native, python, scripting
from triage.parse.failure_messages.pairs import StatedPair
from triage.parse.failure_messages.values import plain
from triage.parse.storable import storable

Grammar = Callable[[str], list[StatedPair]]

# From the most telling template to the barest: a tool's own words before signs, signs before
# operators. The observed value is a model's text and may hold a whole report of another tool, so
# no grammar looks further once one has matched.
GRAMMARS: tuple[Grammar, ...] = (
    python.read_pytest_method,
    python.read_pytest,
    jvm.read_junit5,
    jvm.read_junit4,
    jvm.read_testng,
    native.read_testify,
    javascript.read_jest,
    scripting.read_busted,
    python.read_doctest,
    python.read_approx,
    scripting.read_rspec,
    jvm.read_hamcrest,
    jvm.read_assertj,
    jvm.read_nunit,
    javascript.read_node,
    javascript.read_node_bare,
    javascript.read_tap,
    native.read_gtest,
    native.read_catch2,
    native.read_doctest_cpp,
    native.read_boost,
    native.read_rust,
    native.read_go_cmp,
    javascript.read_bounded,
    javascript.read_legend_diff,
    javascript.read_jasmine,
    javascript.read_chai,
    scripting.read_phpunit,
    scripting.read_exunit,
    scripting.read_eunit,
    scripting.read_testthat,
    scripting.read_deepeval,
    scripting.read_promptfoo,
    native.read_go,
    python.read_unittest,
    python.read_check,
    native.read_two_sided,
    scripting.read_robot,
    scripting.read_named,
)

# Playwright puts the texts of all attempts into one.
RETRY = re.compile(r"^\s*Retry #\d+ \u2500+.*$", re.M)


def read_pairs(text: str) -> list[StatedPair]:
    """Return the pairs that a failure text states; empty when it states none.

    Parameters
    ----------
    text : str
        Body of a failure, of bounded length.
    """
    return [
        replace(each, expected=storable(each.expected), observed=storable(each.observed))
        for part in RETRY.split(plain(text))
        for each in _read_part(part)
        if each.is_truncated or each.expected != each.observed
    ]


def _read_part(text: str) -> list[StatedPair]:
    for grammar in GRAMMARS:
        found = grammar(text)
        if found:
            return found
    return []
