"""The story of one near tie, as docs/near_ties.md tells it: policies, a question, no excuse."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.flows.policies import set_policy, tie_break
from tests.flows.suites import FLIP, REPO, START, CaseRun, only, report, sha, suite, take
from tests.notifications.builders import make_channel
from tests.servers.receiver import Receiver, receiving
from triage.models import Case, Escalation, Repository, Verdict
from triage.upload.tokens import create_token

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

SIZE = 4
NAME = "test_ticket[1]"
ESCALATE = '{policy: escalate, to: "@acme/fraud-ops", due: 4h}'


def flipped(confidence: float) -> CaseRun:
    """Return the refund ticket that came back billing instead of fraud."""
    return CaseRun(NAME, FLIP, "billing", {"tiebreak.confidence": str(confidence)})


def pull_request(number: int, outcomes: str = "x", confidence: float = 0.55) -> dict[str, Any]:
    """Take the attempts of a pull request: "x" flips, "." passes; return the last verdict."""
    for attempt, outcome in enumerate(outcomes, 1):
        changed = [flipped(confidence)] if outcome == "x" else []
        told = {"pr": number, "branch": "change", "run_id": f"ci-{number}", "attempt": attempt}
        document = take(suite(SIZE, *changed), number, **told)
    return document


def excuse_over_the_api(escalation: Escalation) -> int:
    """Try to call the flip a flake over the API; return the status."""
    secret = create_token(Repository.objects.get(), "bot", ["read", "decide"])
    return (
        Client()
        .post(
            f"/api/v1/escalations/{escalation.pk}/decisions",
            {"kind": "expected_flake", "why": "it is flaky"},
            content_type="application/json",
            headers={"Authorization": f"Bearer {secret}"},
        )
        .status_code
    )


def excuse_by_policy() -> list[str]:
    """Try to excuse the flip by a policy that comes with a run; return the run's warnings."""
    secret = create_token(Repository.objects.get(), "ci")
    form = {
        "repo": REPO,
        "sha": sha(90),
        "run_id": "ci-90",
        "files": SimpleUploadedFile("junit.xml", report(suite(SIZE))),
        "policy": SimpleUploadedFile("p", b"version: 1\ngate: {label_flip: pass}\n"),
    }
    answer = Client().post("/api/v1/uploads", form, headers={"Authorization": f"Bearer {secret}"})
    warnings: list[str] = answer.json()["warnings"]
    return warnings


def excuse_on_the_page(page: Any, escalation: Escalation) -> str:
    """Try to send a forged form; return what the page answers."""
    page.goto(f"/escalations/{escalation.pk}/")
    page.eval_on_selector("[name=kind]", "each => { each.value = 'expected_flake' }")
    page.check("[name=kind] >> nth=0")
    page.fill("[name=why]", "it is flaky")
    page.click("form.sheet button")
    return str(page.inner_text("main"))


def sign_in(page: Any) -> None:
    """Sign in as somebody who may decide."""
    User.objects.create_superuser("ada", password="correct horse battery")
    page.goto("/sign-in/")
    page.fill("[name=name]", "ada")
    page.fill("[name=password]", "correct horse battery")
    page.click("button:has-text('Sign in')")


def told(receiver: Receiver) -> list[str]:
    """Return the events that the receiver got."""
    return [event["event"] for request in receiver.requests for event in request.json["events"]]


def test_the_story_of_a_near_tie(browser_page: Any, take_screenshot: Any, settings: Any) -> None:
    settings.ALLOW_PRIVATE_WEBHOOKS = True
    browser_page.set_viewport_size({"width": 1000, "height": 700})
    with time_machine.travel(START + timedelta(days=4)), receiving() as receiver:
        for number in range(1, 21):
            take(suite(SIZE, *([flipped(0.55)] if number % 2 else [])), number)
        make_channel(Repository.objects.get(), receiver.url())

        # Without a policy a flip is held for its second pass.
        held = pull_request(30)
        assert (held["conclusion"], only(held)["finding"]) == ("on_hold", "near_tie")
        sign_in(browser_page)
        browser_page.goto(f"/runs/{held['id']}/")
        take_screenshot("near-tie-held")

        # A threshold routes what the application would route, and blocks what it would act on.
        set_policy(tie_break("{policy: threshold, confidence: 0.8}"))
        assert only(pull_request(31, confidence=0.6))["finding"] == "settled_tie"
        assert only(pull_request(32, confidence=0.9))["finding"] == "label_regression"

        # A second pass of its own settles one class and blocks another.
        set_policy(tie_break("{policy: second_pass, passes: 5, agree: 4}"))
        assert only(pull_request(33, "x...."))["finding"] == "settled_tie"
        assert only(pull_request(34, "xx.x"))["finding"] == "label_regression"

        # A critical label blocks whatever else is written.
        set_policy(tie_break(ESCALATE, critical="[fraud]"))
        assert only(pull_request(35))["finding"] == "label_regression"

        # A person is asked once for ten runs, and told of it.
        set_policy(tie_break(ESCALATE))
        for number in range(40, 50):
            assert pull_request(number)["conclusion"] == "on_hold"
        (escalation,) = Escalation.objects.all()
        assert told(receiver).count("escalation_opened") == 1

        # Nobody can call it a flake: not over the API, not by policy, not by a forged form.
        assert excuse_over_the_api(escalation) == 400
        assert any("no key excuses a label flip" in each for each in excuse_by_policy())
        assert "Not possible: a label flip is never a flake" in excuse_on_the_page(
            browser_page, escalation
        )

        # The decision judges all runs again that waited.
        browser_page.goto(f"/escalations/{escalation.pk}/")
        take_screenshot("near-tie-question")
        browser_page.check("[value=accept_label]")
        browser_page.select_option("[name=label]", "billing")
        browser_page.fill("[name=why]", "Chargebacks go to billing since October.")
        browser_page.click("form.sheet button")
        browser_page.wait_for_selector("text=(in effect)")
        take_screenshot("near-tie-decided")
        current = Verdict.objects.filter(is_current=True, run__pr__gte=40)
        assert set(current.values_list("conclusion", flat=True)) == {"passed_with_flakes"}
        assert "escalation_decided" in told(receiver)
        assert not Case.objects.get(name=NAME).charges.exists()
