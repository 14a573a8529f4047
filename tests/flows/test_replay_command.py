"""tiebreak replay: what the rules of today would change, and that nothing is changed."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from tests.flows.policies import tie_break
from tests.flows.suites import FLIP, REPO, WORDING, CaseRun, history, suite, take
from triage.models import Verdict
from triage.verdict.rules import RULES_VERSION

pytestmark = pytest.mark.django_db

SIZE = 4
CASE = "test_ticket[2]"
TITLE = "tests.evals.test_refunds::test_ticket[2]"
PR = {"pr": 42, "branch": "feature"}


def replay(*arguments: str) -> str:
    """Run the command; return what it printed."""
    out = io.StringIO()
    call_command("replay", REPO, *arguments, stdout=out)
    return out.getvalue()


def replayed(since: str = "2026-10-01") -> dict[str, Any]:
    """Return the command's JSON."""
    document: dict[str, Any] = json.loads(replay("--since", since, "--json"))
    return document


def everything_stored() -> dict[str, list[dict[str, Any]]]:
    """Return every row of every table."""
    return {
        model._meta.db_table: list(model._default_manager.order_by("pk").values())
        for model in apps.get_models()
    }


def answer_otherwise(run_id: int, conclusion: str, finding: str, rules: int = 0) -> None:
    """Let a stored verdict say something else, by default as if older rules had said it."""
    verdict = Verdict.objects.get(run_id=run_id, is_current=True)
    (told,) = verdict.document["findings"]
    document = verdict.document | {"findings": [told | {"finding": finding}]}
    Verdict.objects.filter(pk=verdict.pk).update(
        conclusion=conclusion, rules=rules, document=document
    )


def test_the_rules_that_judged_find_nothing_that_differs() -> None:
    history(SIZE, 3)
    take(suite(SIZE, CaseRun(CASE, WORDING)), 20, **PR)
    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 21, **PR)

    assert replayed()["counts"] == {"runs": 5, "verdicts": 0, "findings": 0, "changes": {}}


def test_a_verdict_of_older_rules_is_told_with_its_findings_and_their_reason() -> None:
    history(SIZE)
    run = take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 30, **PR)
    answer_otherwise(run["id"], "passed_with_flakes", "settled_tie")

    document = replayed()

    assert document["counts"]["changes"] == {"settled_tie → near_tie": 1}
    (changed,) = document["runs"]
    assert changed["rules"] == {"before": 0, "after": 1}
    assert changed["conclusion"] == {"before": "passed_with_flakes", "after": "on_hold"}
    (finding,) = changed["findings"]
    assert (finding["case"], finding["before"], finding["after"]) == (
        TITLE,
        "settled_tie",
        "near_tie",
    )
    assert "“fraud” became “billing”" in finding["reason"]


def test_people_read_each_change_and_the_counts_at_the_end() -> None:
    history(SIZE)
    run = take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 30, **PR)
    answer_otherwise(run["id"], "on_hold", "undecided")

    lines = replay("--since", "2026-10-01").splitlines()

    assert lines[0] == f"run {run['id']} · #42 0000000 · 2026-10-02 15:00 UTC: on_hold as before"
    assert lines[1] == f"  {TITLE}: undecided → near_tie"
    assert lines[-2:] == [
        f"{REPO}: 13 runs since 2026-10-01 00:00 UTC, judged again by rules 1: 0 verdicts and "
        "1 finding would differ. Nothing was changed.",
        "  1 × undecided → near_tie",
    ]


def test_a_difference_without_a_change_of_rules_is_put_down_to_what_is_known_since() -> None:
    history(SIZE)
    run = take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 30, **PR)
    answer_otherwise(run["id"], "on_hold", "undecided", RULES_VERSION)

    assert replay("--since", "2026-10-01").splitlines()[-1] == (
        "1 run of these had been judged by the same rules: priors, accepted rates and label sets "
        "are those of today."
    )


def test_no_table_holds_anything_else_afterwards() -> None:
    history(SIZE)
    for number in (30, 31):
        run = take(suite(SIZE, CaseRun(CASE, WORDING)), number, **PR)
        answer_otherwise(run["id"], "blocked", "over_budget")
    before = everything_stored()

    assert replayed()["counts"]["verdicts"] == 2

    assert everything_stored() == before


def test_attempts_of_a_run_are_judged_as_one() -> None:
    """The first attempt's verdict could not know the later ones; that is no change of rules."""
    history(SIZE)
    for attempt in range(1, 5):
        case = CaseRun(CASE, FLIP, "billing")
        take(suite(SIZE, case), 30, run_id="ci-7", attempt=attempt, **PR)

    assert replayed("2026-10-02")["counts"] == {
        "runs": 1,
        "verdicts": 0,
        "findings": 0,
        "changes": {},
    }


def test_runs_before_the_date_are_left_alone() -> None:
    history(SIZE, 3)

    assert replayed("2026-10-01T11:00:00+00:00")["counts"]["runs"] == 2


def test_bad_input_exits_with_2_and_names_the_value() -> None:
    history(SIZE, 1)

    with pytest.raises(CommandError, match="'acme/gone'; known: acme/support-bot") as refused:
        call_command("replay", "acme/gone", "--since", "2026-10-01")
    assert refused.value.returncode == 2
    with pytest.raises(CommandError, match="got 'yesterday'"):
        call_command("replay", REPO, "--since", "yesterday")


def test_a_policy_can_be_tried_on_the_past_before_it_is_set(tmp_path: Path) -> None:
    history(SIZE)
    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 20, **PR)
    file = tmp_path / "policy.yml"
    file.write_text("version: 1\n" + tie_break("{policy: block}", critical="[fraud]"))
    before = everything_stored()

    printed = replay("--since", "2026-10-01", "--policy", str(file))

    assert "near_tie → label_regression" in printed
    assert everything_stored() == before


def test_a_policy_with_errors_is_refused_with_their_places(tmp_path: Path) -> None:
    history(SIZE, 1)
    file = tmp_path / "policy.yml"
    file.write_text("version: 1\nbudget: []\n")

    with pytest.raises(CommandError, match=r"line 2, column 1.*budgets"):
        replay("--since", "2026-10-01", "--policy", str(file))
