"""action.yml keeps the rules that make an action safe to use."""

import re

from tests.client.github_action import ACTION, EXPRESSION, STEPS

RUNNERS_OWN = {"GITHUB_ACTION_PATH"}
SCRIPTS = "".join(step["run"] for step in STEPS)


def test_no_expression_becomes_text_of_a_script() -> None:
    """A branch or a title that holds shell code would be run."""
    assert "${{" not in SCRIPTS


def test_it_uses_no_action_of_anybody() -> None:
    assert [step for step in STEPS if "uses" in step] == []
    assert {step["shell"] for step in STEPS} == {"bash"}


def test_every_input_reaches_the_script_as_a_variable() -> None:
    told = {**STEPS[0]["env"], "": STEPS[0]["working-directory"]}
    named = {found for value in told.values() for found in EXPRESSION.findall(value)}

    matrix = {"strategy.job-index", "strategy.job-total"}
    assert named == matrix | {f"inputs.{name}" for name in ACTION["inputs"]}


def test_a_script_reads_no_variable_that_it_was_not_given() -> None:
    read = set(re.findall(r"\$\{?([A-Z_]+)", SCRIPTS))

    assert read <= set(STEPS[0]["env"]) | RUNNERS_OWN


def test_it_says_what_every_input_and_output_means() -> None:
    for each in (*ACTION["inputs"].values(), *ACTION["outputs"].values()):
        assert each["description"].strip()
    assert {"verdict", "url"} <= set(ACTION["outputs"])
    assert [name for name, each in ACTION["inputs"].items() if each.get("required")] == ["url"]
