import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policy.documents import DESIGNED, errors, only
from triage.policy.reading import LARGEST_BYTES, decode, read_policy


def test_an_error_names_line_column_value_and_the_nearest_word() -> None:
    text = DESIGNED.replace("on_spent: block", "on_spent: blok ")
    assert only(text) == (
        "line 7, column 15: budgets[0].on_spent: must be block or warn, got 'blok'; "
        "did you mean 'block'?"
    )


def test_an_unknown_key_is_an_error_with_the_nearest_legal_one() -> None:
    assert only("version: 1\nbudget: []\n") == (
        "line 2, column 1: budget: unknown key 'budget'; did you mean 'budgets'?; legal here: "
        "version, llm_tests, budgets, labels, gate, second_pass, completion, owners, "
        "escalations, redact or renames"
    )


def test_an_unknown_key_of_a_tie_break_is_told_those_of_its_kind() -> None:
    text = "version: 1\nlabels:\n- match: '**'\n  tie_break: {policy: threshold, confidnce: 0.8}\n"
    missing, unknown = errors(text)
    assert str(missing) == "line 4, column 14: labels[0].tie_break: 'confidence' is missing"
    assert (unknown.line, unknown.column) == (4, 34)
    assert "did you mean 'confidence'?" in unknown.message


def test_all_errors_are_told_at_once_in_the_order_of_lines() -> None:
    text = "budgets:\n  - rate: 200%\n  - match: a\n    match: b\n    color: red\ngates: {}\n"
    assert [(error.line, error.path) for error in errors(text)] == [
        (1, ""),
        (2, "budgets[0]"),
        (2, "budgets[0].rate"),
        (4, ""),
        (5, "budgets[1].color"),
        (6, "gates"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "line 1, column 1: a policy is a mapping that begins with 'version: 1'"),
        ("# nothing\n", "line 1, column 1: a policy is a mapping that begins with 'version: 1'"),
        ("- a\n", "line 1, column 1: a policy is a mapping that begins with 'version: 1'"),
        ("gate: {}\n", "line 1, column 1: 'version' is missing; begin the file with 'version: 1'"),
        ("version: 2\n", "line 1, column 10: version: must be 1, got '2'"),
        ("version: 1\nversion: 1\n",
         "line 2, column 1: the key 'version' stands in line 1 already"),
        ("version: 1\ngate:\n\tundecided: hold\n",
         "line 3, column 1: a tab stands where YAML takes spaces only; indent with spaces"),
        ("a: &x 1\nb: *x\n",
         "line 1, column 4: anchors and aliases (&, *) have no place in a policy; "
         "write the value out"),
        ("version: !!int 1\n",
         "line 1, column 10: tags such as tag:yaml.org,2002:int have no place in a policy"),
        ("version: 1\n---\nversion: 1\n",
         "line 2, column 1: a policy is one document; remove the second '---'"),
        ("version: 1\n? [a, b]\n: c\n",
         "line 2, column 3: a key must be a word, not a list or a mapping"),
        ("version: [1\n",
         "line 2, column 1: cannot be read as YAML: expected ',' or ']', "
         "but got '<stream end>'"),
    ],
)  # fmt: skip
def test_what_is_no_policy_is_refused_with_its_place(text: str, expected: str) -> None:
    assert str(errors(text)[0]) == expected


BOMB = "a: &a [x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)},*{chr(97 + n)}]\n" for n in range(20)
)


@pytest.mark.parametrize(
    "text", [BOMB, "[" * 65_000, "{a: " * 16_000, "- " * 32_000, "? " * 32_000, "a: " * 20_000]
)
def test_a_hostile_policy_is_refused_before_it_costs_anything(text: str) -> None:
    started = time.process_time()
    assert read_policy(text).policy is None
    assert time.process_time() - started < 5.0


def test_the_largest_file_is_64_kib() -> None:
    body = b"version: 1\n#" + b"x" * LARGEST_BYTES
    text, refusal = decode(body)
    assert len(text) == LARGEST_BYTES
    assert refusal is not None
    assert str(refusal.errors[0]).endswith(f"holds {len(body)} bytes, the limit is {LARGEST_BYTES}")
    assert "longer than" in only(body.decode())


@pytest.mark.parametrize("body", [b"version: 1\nowners: {default: '\xff'}", b"version: 1\n# \0"])
def test_a_file_that_is_no_text_is_refused_with_its_line_and_can_be_stored(body: bytes) -> None:
    text, refusal = decode(body)
    assert refusal is not None
    assert (refusal.policy, refusal.errors[0].line) == (None, 2)
    assert "\0" not in text


def test_a_byte_order_mark_is_no_error() -> None:
    text, refusal = decode(b"\xef\xbb\xbfversion: 1\n")
    assert refusal is None
    assert read_policy(text).policy is not None


def test_a_value_is_cut_for_display() -> None:
    (error,) = errors("version: 1\ngate: {undecided: " + "x" * 500 + "}\n")
    assert len(error.value) == 81


@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    reading = read_policy(text)
    assert (reading.policy is None) == bool(reading.errors)


@given(st.data())
def test_no_mutation_of_a_policy_raises(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(DESIGNED)))
    end = data.draw(st.integers(start, min(start + 20, len(DESIGNED))))
    text = DESIGNED[:start] + data.draw(st.text(max_size=10)) + DESIGNED[end:]
    for error in read_policy(text).errors:
        assert 1 <= error.line <= text.count("\n") + 2
