"""One question for an ambiguous class: asked once, decided by a person, judged again."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgets.models import Charge
from tests.flows.policies import set_policy, tie_break
from tests.flows.suites import FLIP, REPO, START, CaseRun, history, only, suite, take
from tests.web.pages.reading import text
from triage.models import (
    Decision,
    Escalation,
    Finding,
    Membership,
    Notification,
    Repository,
    Verdict,
)
from triage.notifications.channels import ChannelRequest, add_channel
from triage.pipeline import judge_waiting
from triage.terms import ChannelKind, DecisionKind, EscalationState, NotificationEvent, Role
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token
from triage.verdict.escalations.deciding import Answer, decide
from triage.verdict.escalations.reminders import remind

pytestmark = pytest.mark.django_db(transaction=True)

SIZE = 4
CASE = "test_ticket[1]"
ESCALATE = '{policy: escalate, to: "@acme/fraud-ops", due: 4h}'
FLIPPED = CaseRun(CASE, FLIP, "billing")
WHY = "The refund desk handles these."


def asked(runs: int = 1) -> Escalation:
    """Take runs that flip under a policy that asks a person; return the question."""
    history(SIZE)
    set_policy(tie_break(ESCALATE))
    for number in range(30, 30 + runs):
        flip(number)
    return Escalation.objects.get()


def flip(number: int, observed: str = "billing") -> dict[str, Any]:
    """Take a run of a pull request of its own in which the case flips."""
    failure = FLIP.replace("billing", observed)
    changed = CaseRun(CASE, failure, observed)
    return take(suite(SIZE, changed), number, pr=number, branch="change", run_id=str(number))


def conclusions() -> list[str]:
    """Return the conclusions of the pull requests that hold now."""
    verdicts = Verdict.objects.filter(is_current=True, run__pr__isnull=False)
    return list(verdicts.order_by("run__at").values_list("conclusion", flat=True))


def answer(kind: str, **told: Any) -> Answer:
    """Return an answer with a reason."""
    return Answer(kind, WHY, **told)


def post(
    escalation: Escalation, body: dict[str, Any], scope: str = "decide", repo: str = REPO
) -> Any:
    """Decide over the API."""
    secret = create_token(find_or_add_repository(repo), "bot", ["read", scope])
    return Client().post(
        f"/api/v1/escalations/{escalation.pk}/decisions",
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )


def test_ten_runs_ask_one_question_and_wait_for_it() -> None:
    escalation = asked(runs=10)

    assert (escalation.owner, escalation.state) == ("@acme/fraud-ops", EscalationState.OPEN)
    assert conclusions() == ["on_hold"] * 10


def test_upholding_blocks_all_runs_that_waited() -> None:
    escalation = asked(runs=3)

    decide(escalation, answer("uphold"), "ada")
    judge_waiting(escalation.pk)

    assert conclusions() == ["blocked"] * 3
    finding = Finding.objects.filter(verdict__is_current=True, kind="label_regression").first()
    assert finding is not None
    assert "ada decided on" in finding.reason


def test_accepting_a_label_settles_its_flips_and_says_which_test_to_change() -> None:
    escalation = asked(runs=2)

    decide(escalation, answer("accept_label", label="billing"), "ada")
    judge_waiting(escalation.pk)

    assert conclusions() == ["passed_with_flakes"] * 2
    later = only(flip(40))
    assert later["finding"] == "settled_tie"
    assert "change the expected label in tests.evals.test_refunds" in later["reason"]


def test_accepting_a_label_settles_no_other_flip() -> None:
    escalation = asked()
    decide(escalation, answer("accept_label", label="billing"), "ada")

    assert only(flip(40, "shipping"))["finding"] == "near_tie"


def test_an_ambiguous_class_stays_held_until_its_tie_break_is_committed() -> None:
    escalation = asked()

    decision = decide(escalation, answer("register_tie_break"), "ada")
    judge_waiting(escalation.pk)

    assert conclusions() == ["on_hold"]
    assert "+      - labels: [billing, fraud]" in decision.evidence["policy_diff"]


def test_a_deferred_question_stays_open_and_is_asked_again() -> None:
    escalation = asked()
    until = timezone.now() + timedelta(days=2)

    decide(escalation, answer("defer", until=until), "ada")
    judge_waiting(escalation.pk)

    escalation.refresh_from_db()
    assert (escalation.state, escalation.due_at) == (EscalationState.OPEN, until)
    assert conclusions() == ["on_hold"]


def test_a_new_decision_replaces_the_one_before_and_deletes_none() -> None:
    escalation = asked()
    for kind in ("uphold", "accept_label"):
        decide(escalation, answer(kind, label="billing" if kind != "uphold" else ""), "ada")
    judge_waiting(escalation.pk)

    assert conclusions() == ["passed_with_flakes"]
    assert Decision.objects.count() == 2


@pytest.mark.parametrize("kind", ["flake", "expected_flake", "ignore", "mute", ""])
def test_no_answer_makes_a_flip_a_flake(kind: str) -> None:
    escalation = asked()
    before = conclusions()

    response = post(escalation, {"kind": kind, "why": WHY})

    assert response.status_code == 400
    assert "a label flip is never a flake" in response.json()["error"]["message"]
    assert (conclusions(), Decision.objects.count()) == (before, 0)


def test_not_even_the_table_takes_another_kind() -> None:
    escalation = asked()

    with pytest.raises(IntegrityError), transaction.atomic():
        Decision.objects.create(
            repository_id=escalation.repository_id,
            escalation=escalation,
            kind="flake",
            who="mallory",
            why=WHY,
        )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"kind": "uphold", "why": "  "}, "why must say"),
        ({"kind": "accept_label", "why": WHY, "label": "shipping"}, "one of the two in question"),
        ({"kind": "defer", "why": WHY}, "until must be a time"),
        ({"kind": "defer", "why": WHY, "until": "2031-01-01T00:00:00Z"}, "the next 30 days"),
    ],
)
def test_an_answer_that_is_not_legal_says_why(body: dict[str, Any], message: str) -> None:
    response = post(asked(), body)

    assert response.status_code == 400
    assert message in response.json()["error"]["message"]


def test_deciding_takes_a_token_of_the_repository_with_the_scope() -> None:
    escalation = asked()
    body = {"kind": "uphold", "why": WHY}

    assert post(escalation, body, scope="upload").status_code == 403
    assert post(escalation, body, repo="other/repository").status_code == 404
    assert post(escalation, body).status_code == 201
    assert Decision.objects.get().who == "token bot"
    assert conclusions() == ["blocked"]


def test_a_decider_decides_on_the_page() -> None:
    escalation = asked()
    user = User.objects.create_user("ada")
    repository = Repository.objects.get()
    Membership.objects.create(repository=repository, user=user, role=Role.DECIDER)
    client = Client()
    client.force_login(user)
    path = f"/escalations/{escalation.pk}/"

    refused = client.post(path, {"kind": "flake", "why": WHY})
    answered = client.post(path, {"kind": "accept_label", "label": "billing", "why": WHY})

    assert refused.status_code == 400
    assert "a label flip is never a flake" in refused.content.decode()
    assert answered.status_code == 302
    assert conclusions() == ["passed_with_flakes"]
    assert "(in effect)" in client.get(path).content.decode()


@pytest.mark.parametrize("role", [None, Role.VIEWER, Role.MEMBER])
def test_whoever_is_no_decider_cannot_decide(role: Role | None) -> None:
    escalation = asked()
    client = Client()
    if role:
        user = User.objects.create_user("bob")
        Membership.objects.create(repository=Repository.objects.get(), user=user, role=role)
        client.force_login(user)

    response = client.post(f"/escalations/{escalation.pk}/", {"kind": "uphold", "why": WHY})

    assert response.status_code == (403 if role else 302)
    assert not Decision.objects.exists()


def test_the_inbox_shows_open_questions_first() -> None:
    find_or_add_repository(REPO)
    assert "No question is open" in text(f"/repositories/{REPO}/escalations/")
    asked()
    page = text(f"/repositories/{REPO}/escalations/")

    assert "1 open." in page
    assert "@acme/fraud-ops" in page


def told() -> list[str]:
    """Return the events that channels were told of."""
    return list(Notification.objects.order_by("pk").values_list("event", flat=True))


def test_channels_are_told_of_opening_reminders_and_the_decision() -> None:
    repository = find_or_add_repository(REPO)
    with time_machine.travel(START + timedelta(days=2), tick=False):
        events = [
            NotificationEvent.ESCALATION_OPENED,
            NotificationEvent.ESCALATION_DUE,
            NotificationEvent.ESCALATION_DECIDED,
            NotificationEvent.ESCALATION_EXPIRED,
        ]
        channel = ChannelRequest(
            name="desk",
            kind=ChannelKind.WEBHOOK,
            target="https://desk.acme.example/hook",
            events=events,
        )
        add_channel(repository, channel, "ada")
        escalation = asked()
        opened = escalation.opened_at
        for hours in (1, 2, 3, 4, 5):
            remind(opened + timedelta(hours=hours))
        decide(escalation, answer("uphold"), "ada")

    assert told() == [
        "escalation_opened",
        "escalation_due",
        "escalation_due",
        "escalation_decided",
    ]


def test_a_question_that_nobody_answers_expires_and_still_holds() -> None:
    escalation = asked()
    overdue = escalation.opened_at + timedelta(days=8)

    assert remind(overdue) == 1
    assert remind(overdue) == 0

    escalation.refresh_from_db()
    assert escalation.state == EscalationState.EXPIRED
    assert conclusions() == ["on_hold"]


ANSWERS = st.sampled_from(
    [
        answer(DecisionKind.UPHOLD),
        answer(DecisionKind.ACCEPT_LABEL, label="billing"),
        answer(DecisionKind.ACCEPT_LABEL, label="fraud"),
        answer(DecisionKind.REGISTER_TIE_BREAK),
    ]
)


@given(st.lists(ANSWERS, min_size=1, max_size=4))
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_sequence_of_decisions_charges_or_excuses_a_flip(answers: list[Answer]) -> None:
    with transaction.atomic():
        escalation = asked()
        for each in answers:
            decide(escalation, each, "ada")
        judge_waiting(escalation.pk)
        kinds = set(Finding.objects.filter(difference="label").values_list("kind", flat=True))

        assert kinds <= {"label_regression", "near_tie", "settled_tie"}
        assert not Charge.objects.exists()
        transaction.set_rollback(True)
