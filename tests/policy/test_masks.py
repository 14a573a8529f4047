import re
import time

import pytest

from tests.policy.documents import only, policy
from triage.policy.masks import check_mask


@pytest.mark.parametrize(
    "pattern",
    [
        r"EMP-[0-9]{6}",
        r"sk-[A-Za-z0-9]{20,60}",
        r"(?:user|account)_\d{1,12}",
        r"[]x]{2}y?",
        r"a\.b",
    ],
)
def test_a_bounded_pattern_is_taken(pattern: str) -> None:
    assert check_mask(pattern) == pattern


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"a+", "without a bound at '+'"),
        (r"\d*x", "without a bound at '*'"),
        (r"a{3,}", "without a bound at '{3,}'"),
        (r"(ab){1,9}", "repeats a group"),
        (r"(a)\1", "no look-around, flags or references"),
        (r"(?<=x)y", "no look-around, flags or references"),
        (r"(?i)secret", "no look-around, flags or references"),
        (r"(", "is no regular expression"),
        (r"a?", "matches where nothing stands"),
        (r"a{1,50}b{1,50}c", "may be tried in 2500 ways"),
        ("x" * 201, "at most 200 characters, got 201"),
    ],
)
def test_a_pattern_that_could_run_for_long_is_refused(pattern: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        check_mask(pattern)


def test_the_slowest_pattern_that_is_taken_is_fast_on_a_hostile_text() -> None:
    pattern = re.compile(check_mask(r"a{1,44}a{1,44}b"))
    started = time.process_time()
    assert pattern.sub("", "a" * 16_000) == "a" * 16_000
    assert time.process_time() - started < 3.0


def test_masks_stand_in_the_policy_and_are_at_most_twenty() -> None:
    assert policy("version: 1\nredact: ['EMP-[0-9]{6}']\n").redact == ("EMP-[0-9]{6}",)
    assert "at most 20 items" in only("version: 1\nredact:\n" + "- a\n" * 21)
    together = only("version: 1\nredact: ['a{1,40}b{1,40}c', 'd{1,40}e{1,40}f']\n")
    assert "may be tried in 3200 ways at one place of a text by all patterns together" in together
    assert only("version: 1\nredact:\n- 'a+'\n").startswith("line 3, column 3: redact[0]: repeats")
