"""The plan of a second pass and its command."""

import shlex

from triage.models import Repository, Run
from triage.web.presenters.second_pass import MOST_CASES, second_pass, upload_command


def attempt(**fields: object) -> Run:
    """Return an attempt that is in no database."""
    told = {"sha": "4f2c9ab", "ci_run_id": "77", "attempt": 1, "branch": "main"} | fields
    return Run(repository=Repository(full_name="acme/support-bot"), **told)


def test_a_verdict_that_asks_for_nothing_has_no_plan() -> None:
    assert second_pass({"second_pass": {"cases": [], "repeats": 0}}, attempt(), "http://x") is None
    assert second_pass({}, attempt(), "http://x") is None


def test_the_plan_is_for_the_attempt_after_the_newest_one() -> None:
    asked = {"second_pass": {"cases": [{"case": "t::a", "part": "1/2", "repeats": 3}]}}

    plan = second_pass(asked, attempt(attempt=2), "http://x")

    assert plan is not None
    assert plan.next_attempt == 3
    assert [(each.case, each.part, each.repeats) for each in plan.cases] == [("t::a", "1/2", 3)]
    assert "-F attempt=3" in plan.upload


def test_a_long_plan_says_how_much_it_leaves_out() -> None:
    asked = {"second_pass": {"cases": [{"case": "t", "repeats": 3}] * (MOST_CASES + 5)}}

    plan = second_pass(asked, attempt(), "http://x")

    assert plan is not None
    assert (len(plan.cases), plan.cases_left_out) == (MOST_CASES, 5)


def test_a_hostile_branch_stays_one_word_of_the_command() -> None:
    hostile = "main'; rm -rf ~; echo '"

    words = shlex.split(upload_command(attempt(branch=hostile), "http://x").replace("\\\n", " "))

    assert f"branch={hostile}" in words


def test_what_is_not_known_of_a_run_is_left_out_of_the_command() -> None:
    command = upload_command(attempt(branch="", ci_run_id=""), "http://x")

    assert "branch" not in command
    assert "run_id" not in command
    assert "pr=" not in command
