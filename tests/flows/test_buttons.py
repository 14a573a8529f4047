"""The buttons of a check: who may press them, what each does, and what none of them does."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from budgets.models import Charge
from tests.flows.github import (
    PULL,
    checks,
    comments,
    deliver,
    press,
    publish_all,
    pull_request,
    repository,
    set_up,
)
from tests.flows.suites import (
    CRASH,
    FLIP,
    RATE_LIMIT,
    REPO,
    START,
    WORDING,
    CaseRun,
    history,
    only,
    sha,
    suite,
    take,
)
from tests.servers.github.server import fake_github
from tests.servers.github.world import RefusalError, World
from triage import pipeline
from triage.models import (
    AuditEntry,
    Case,
    Decision,
    Escalation,
    Finding,
    RequestedAction,
    Verdict,
)
from triage.terms import ActionState, Button, Difference, FindingKind
from triage.verdict.muting import MuteRequest, mute_case

pytestmark = pytest.mark.django_db(transaction=True)

HEAD = sha(30)
SIZE = 6
CASE = "test_ticket[1]"
FLIPPED = CaseRun(CASE, FLIP, "billing")
PASSES_A_FLIP = {FindingKind.EXPECTED_FLAKE, FindingKind.MUTED, FindingKind.OVER_BUDGET}


@pytest.fixture
def world() -> Iterator[World]:
    """Return a GitHub on which octo may write and a stranger may only read."""
    with time_machine.travel(START + timedelta(hours=31)), fake_github() as made:
        set_up(made, HEAD)
        made.repositories[REPO].people = {"octo": "write", "boss": "admin", "reader": "read"}
        yield made
        assert made.violations() == []


def judged(world: World, *changed: CaseRun, attempts: int = 1) -> dict[str, Any]:
    """Publish the verdict on a run of the pull request after some history."""
    history(SIZE)
    pull_request(world, HEAD, "opened")
    told = {"pr": PULL, "branch": "change", "run_id": "555"}
    for attempt in range(1, attempts + 1):
        document = take(suite(SIZE, *changed), 30, attempt=attempt, **told)
    publish_all()
    return document


def over_budget(world: World, *others: CaseRun) -> dict[str, Any]:
    """Publish a verdict on a case whose budget is spent."""
    history(SIZE)
    for number in range(13, 23):
        take(suite(SIZE, CaseRun(CASE, WORDING)), number)
    pull_request(world, HEAD, "opened")
    changed = (CaseRun(CASE, WORDING), *others)
    document = take(suite(SIZE, *changed), 30, pr=PULL, branch="change", run_id="555")
    publish_all()
    return document


def current() -> dict[str, Any]:
    """Return the verdict that holds for the pull request's run."""
    found = Verdict.objects.filter(run__sha=HEAD, is_current=True).latest("run__attempt")
    return dict(found.document)


def shown(world: World) -> str:
    """Return the summary of the newest check run."""
    publish_all()
    return str(checks(world)[-1]["output"]["summary"])


def test_escalating_a_near_tie_asks_its_owner_and_holds_the_run(world: World) -> None:
    judged(world, FLIPPED)
    press(world, Button.ESCALATE)

    escalation = Escalation.objects.get()
    assert (escalation.first_label, escalation.second_label) == ("billing", "fraud")
    summary = shown(world)
    assert "✅ **Escalate** by @\u2060octo: 1 question asked of nobody by name" in summary
    assert f"/escalations/{escalation.pk}/" in summary
    assert checks(world)[-1]["conclusion"] == "action_required"


def test_a_near_tie_marked_as_a_regression_blocks(world: World) -> None:
    judged(world, FLIPPED)
    press(world, Button.REGRESSION)

    assert only(current())["finding"] == "label_regression"
    decision = Decision.objects.get()
    assert (decision.kind, decision.who) == ("uphold", "@octo on GitHub")
    publish_all()
    assert checks(world)[-1]["conclusion"] == "failure"
    assert "Do not merge: 1 label regression" in comments(world)[0]


def test_accepting_a_label_opens_the_decision_with_its_diff_and_decides_nothing(
    world: World, admin_client: Client
) -> None:
    judged(world, FLIPPED, attempts=4)
    press(world, Button.ACCEPT_LABEL)

    escalation = Escalation.objects.get()
    assert not Decision.objects.exists()
    assert current()["conclusion"] == "blocked"
    summary = shown(world)
    assert "-expected label: fraud\n+expected label: billing" in summary
    address = f"/escalations/{escalation.pk}/?kind=accept_label&label=billing"
    assert address in summary
    assert admin_client.get(address).status_code == 200
    assert checks(world)[-1]["conclusion"] == "failure"


def test_a_case_over_budget_is_allowed_once_and_stays_charged(world: World) -> None:
    assert over_budget(world)["conclusion"] == "blocked"
    charged = Charge.objects.count()
    press(world, Button.ALLOW_ONCE)

    document = current()
    assert (document["conclusion"], document["exit_code"]) == ("passed_with_flakes", 0)
    assert only(document)["finding"] == "over_budget"
    assert only(document)["allowed"]["by"] == "@octo"
    assert document["headline"]["text"] == "Allowed once by @octo: 1 case over budget"
    assert Charge.objects.count() == charged
    publish_all()
    assert checks(world)[-1]["conclusion"] == "success"
    assert "🟡 over budget, allowed once" in comments(world)[0]


def test_what_was_allowed_once_blocks_in_the_next_run_of_the_commit(world: World) -> None:
    over_budget(world)
    press(world, Button.ALLOW_ONCE)

    told = {"pr": PULL, "branch": "change", "run_id": "556"}
    again = take(suite(SIZE, CaseRun(CASE, WORDING)), 30, **told)

    assert again["conclusion"] == "blocked"


def test_allowing_once_leaves_a_flip_beside_it_on_hold(world: World) -> None:
    over_budget(world, CaseRun("test_ticket[2]", FLIP, "billing"))
    press(world, Button.ALLOW_ONCE)

    document = current()
    assert document["conclusion"] == "on_hold"
    assert [each["finding"] for each in document["findings"]] == ["over_budget", "near_tie"]


@pytest.mark.parametrize("who", ["reader", "stranger"])
def test_whoever_may_not_write_is_refused_visibly_and_nothing_changes(
    world: World, who: str
) -> None:
    judged(world, FLIPPED)
    press(world, Button.REGRESSION, who)

    assert not Decision.objects.exists()
    assert not Escalation.objects.exists()
    level = "read" if who == "reader" else "none"
    summary = shown(world)
    assert f"⛔ **Mark as regression** by @\u2060{who}: this takes write access" in summary
    assert f"@\u2060{who} has {level} access" in summary
    entry = AuditEntry.objects.get(action="check_mark_regression")
    assert (entry.who, entry.detail["state"]) == (f"@{who}", "refused")


def test_every_action_is_in_the_log_of_changes(world: World) -> None:
    judged(world, FLIPPED)
    press(world, Button.ESCALATE, "boss")

    entry = AuditEntry.objects.get(action="check_escalate")
    assert (entry.who, entry.repository.full_name) == ("@boss", REPO)
    assert entry.detail["state"] == "done"


def test_a_button_that_the_verdict_does_not_offer_is_refused(world: World) -> None:
    judged(world, FLIPPED)
    press(world, Button.ALLOW_ONCE)

    assert "⛔ **Allow once**" in shown(world)
    assert "the verdict does not offer this: On hold: 1 near tie" in shown(world)


def test_a_press_on_a_check_that_is_not_ours_is_ignored(world: World) -> None:
    judged(world, FLIPPED)
    check = checks(world)[-1]
    for key in ("verdict-999999", "verdict-²", "waiting", ""):
        press(world, Button.REGRESSION, check=check | {"external_id": key})
    press(world, "pass_everything")

    assert not RequestedAction.objects.exists()


def test_github_is_asked_again_when_it_does_not_answer(world: World) -> None:
    judged(world, FLIPPED)
    world.faults.append(("GET .*permission", RefusalError(502, "Server Error"), False))
    press(world, Button.ESCALATE)
    assert RequestedAction.objects.get().state == ActionState.WAITING

    RequestedAction.objects.update(next_try_at=START)
    assert pipeline.act_due() == 1
    assert RequestedAction.objects.get().state == ActionState.DONE


FAILURES = {
    "flip": CaseRun("test_ticket[2]", FLIP, "billing"),
    "wording": CaseRun("test_ticket[3]", WORDING),
    "crash": CaseRun("test_ticket[4]", CRASH, None),
    "provider": CaseRun("test_ticket[5]", RATE_LIMIT, None),
}


@pytest.mark.parametrize("attempts", [1, 4])
def test_no_button_on_any_finding_excuses_a_flip(world: World, attempts: int) -> None:
    history(SIZE)
    for number in range(13, 23):
        take(suite(SIZE, CaseRun(CASE, WORDING)), number)
    pull_request(world, HEAD, "opened")
    cases = suite(SIZE, CaseRun(CASE, WORDING), *FAILURES.values())
    for attempt in range(1, attempts + 1):
        take(cases, 30, pr=PULL, branch="change", run_id="555", attempt=attempt)
    publish_all()

    for button in Button:
        for who in ("octo", "boss", "reader"):
            press(world, button, who)
            publish_all()
            flips = [each for each in current()["findings"] if each["difference"] == "label"]
            assert {each["finding"] for each in flips} <= {"near_tie", "label_regression"}
            assert all(each["allowed"] is None for each in flips)
            assert current()["conclusion"] in {"blocked", "on_hold"}
            assert checks(world)[-1]["conclusion"] in {"failure", "action_required", None}

    of_labels = Finding.objects.filter(difference=Difference.LABEL)
    assert not of_labels.filter(kind__in=PASSES_A_FLIP).exists()
    assert not Charge.objects.filter(case__name="test_ticket[2]").exists()
    pressed = RequestedAction.objects.exclude(state=ActionState.WAITING)
    assert {each.kind for each in pressed} == {*Button}


QUIET = {"test_ticket[2]": "inherited", "test_ticket[3]": "settled_tie", CASE: "muted"}


def quiet_attempt(attempt: int, *beside: CaseRun) -> None:
    """Publish an attempt with a muted wording, a crash as on the base, and a tie that settles."""
    unsettled = [CaseRun("test_ticket[3]", FLIP, "billing")] * (attempt == 1)
    as_on_base = [CaseRun("test_ticket[2]", CRASH, None)] * (attempt == 4)
    failing = [CaseRun(CASE, WORDING), *unsettled, *as_on_base, *beside]
    told = {"pr": PULL, "branch": "change", "run_id": "555", "base_sha": sha(29)}
    take(suite(SIZE, *failing), 30, attempt=attempt, **told)
    publish_all()


def of_quiet() -> dict[str, Any]:
    """Return what is found of the quiet cases; none of them may be allowed."""
    found = {each["case"].rpartition("::")[2]: each for each in current()["findings"]}
    assert all(each["allowed"] is None for each in found.values())
    return {name: found[name]["finding"] for name in QUIET}


def test_no_button_changes_what_is_muted_inherited_or_settled(world: World) -> None:
    history(SIZE)
    for number in range(13, 23):
        take(suite(SIZE, CaseRun(CASE, WORDING)), number)
    with time_machine.travel(START + timedelta(hours=28)):
        asked = MuteRequest("@acme/refunds", "provider rollout", START + timedelta(days=20))
        mute_case(Case.objects.get(name=CASE), asked, "ada")
    take(suite(SIZE, CaseRun("test_ticket[2]", CRASH, None)), 29)
    pull_request(world, HEAD, "opened")
    for attempt in (1, 2, 3, 4):
        quiet_attempt(attempt)
    assert (of_quiet(), current()["conclusion"]) == (QUIET, "passed_with_flakes")

    # Nothing is open: every button is refused, and that it was pressed is kept.
    for button in Button:
        press(world, button)
        publish_all()
    assert {each.state for each in RequestedAction.objects.all()} == {ActionState.REFUSED}
    assert AuditEntry.objects.filter(action__startswith="check_").count() == len(Button)
    assert (of_quiet(), current()["conclusion"]) == (QUIET, "passed_with_flakes")

    # A flip beside them opens its own buttons, and leaves them as they were.
    quiet_attempt(5, CaseRun("test_ticket[4]", FLIP, "billing"))
    for button in Button:
        press(world, button)
        publish_all()
        assert of_quiet() == QUIET
        (flip,) = [each for each in current()["findings"] if each["finding"] not in QUIET.values()]
        assert flip["finding"] in {"near_tie", "label_regression"}
        assert current()["conclusion"] in {"on_hold", "blocked"}
    assert {each.case.name for each in Escalation.objects.all()} == {"test_ticket[4]"}
    assert not Charge.objects.filter(case__name="test_ticket[4]").exists()


def test_rerequesting_sends_the_same_check_once_more(world: World) -> None:
    judged(world, FLIPPED)
    for event, told in (("check_run", {"head_sha": HEAD}), ("check_suite", {"head_sha": HEAD})):
        sent = sum(method == "PATCH" for method, *_ in world.log)
        body = {"action": "rerequested", "repository": repository(world), event: told}
        deliver(event, body)
        publish_all()
        assert sum(method == "PATCH" for method, *_ in world.log) == sent + 1

    assert len(checks(world)) == 1
