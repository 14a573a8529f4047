"""What another policy would have judged: seen before it is in force, and nothing is kept."""

from html import unescape
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.http import HttpResponse
from django.test import Client

from tests.flows.policies import MATCH, set_policy, tie_break
from tests.flows.suites import FLIP, REPO, WORDING, CaseRun, history, suite, take
from tests.web.builders import make_repository
from triage.models import Repository
from triage.policy.reading import LARGEST_BYTES, read_policy
from triage.policy.stored import PolicyInForce
from triage.terms import FindingKind
from triage.verdict.policy_preview import PolicyPreview, preview_policy

pytestmark = pytest.mark.django_db

PATH = f"/repositories/{REPO}/policy/preview/"
SIZE = 4
CASE, FLAKY = "test_ticket[2]", "test_ticket[1]"
PR = {"pr": 42, "branch": "feature"}
CRITICAL = tie_break("{policy: block}", critical="[fraud]")
BLOCKING = f"version: 1\n{CRITICAL}"
# Everything that a policy can loosen, as far as it goes.
LENIENT = (
    f'budgets:\n  - match: "{MATCH}"\n    rate: 10%\n    on_spent: warn\n'
    + tie_break("{policy: threshold, confidence: 0.99}")
    + "gate: {undecided: neutral, provider_error: neutral, inherited: pass}\n",
    f'budgets:\n  - match: "{MATCH}"\n    rate: 10%\n    shared: true\n    on_spent: warn\n'
    + tie_break("{policy: second_pass, passes: 5, agree: 3}"),
    tie_break("{policy: escalate, to: '@acme/fraud-ops', due: 4h}"),
    "",
)


def preview(text: str, newest: int = 50, seconds: float = 600.0) -> PolicyPreview:
    """Preview a policy over what was taken."""
    policy = read_policy(text).policy
    assert policy is not None
    return preview_policy(
        Repository.objects.get(), PolicyInForce(policy, "x", None), newest, seconds
    )


def flips_and_flakes() -> None:
    """Take a history, then a flip, a flake, and both again."""
    history(SIZE)
    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 30, **PR)
    take(suite(SIZE, CaseRun(FLAKY, WORDING)), 31, **PR)
    both = (CaseRun(CASE, FLIP, "billing"), CaseRun(FLAKY, WORDING))
    take(suite(SIZE, *both), 32, **PR)


def everything_stored() -> dict[str, list[dict[str, Any]]]:
    """Return every row of every table, those of who is signed in apart."""
    return {
        model._meta.db_table: list(model._default_manager.order_by("pk").values())
        for model in apps.get_models()
        if model._meta.app_label not in {"sessions", "auth"}
    }


def send(client: Client, text: str, runs: str = "50") -> HttpResponse:
    """Send the form."""
    return client.post(PATH, {"policy": text, "runs": runs})  # type: ignore[return-value]


def shown(answer: HttpResponse) -> str:
    """Return what an answer shows."""
    return unescape(answer.content.decode()).replace("\u00a0", " ")


def test_a_stricter_policy_shows_which_verdicts_and_findings_it_would_change() -> None:
    flips_and_flakes()

    found = preview(BLOCKING)

    assert [(each.now, each.then, each.differs) for each in found.runs[:3]] == [
        ("on_hold", "blocked", True),
        ("passed_with_flakes", "passed_with_flakes", False),
        ("on_hold", "blocked", True),
    ]
    (changed,) = found.runs[0].findings
    assert (changed.before, changed.after) == ("near_tie", "label_regression")
    assert len(found.runs) == 15
    assert found.left_out == 0


def test_the_policy_in_force_changes_nothing() -> None:
    flips_and_flakes()
    stored = set_policy(CRITICAL)

    assert not any(each.differs for each in preview(stored.text).runs)


def test_what_judging_again_changes_by_itself_is_not_put_down_to_the_policy() -> None:
    """The verdict on hold was given before the policy in force said that flips block."""
    flips_and_flakes()
    set_policy(CRITICAL)

    newest = preview(BLOCKING).runs[0]

    assert (newest.stored, newest.now, newest.then) == ("on_hold", "blocked", "blocked")
    assert not newest.differs


@pytest.mark.parametrize("policy", LENIENT)
def test_no_policy_makes_a_flip_an_expected_flake(policy: str) -> None:
    flips_and_flakes()
    set_policy(CRITICAL)

    changes = [each for run in preview(f"version: 1\n{policy}").runs for each in run.findings]

    assert {each.difference for each in changes} >= {"label"}
    assert {each.after for each in changes if each.difference == "label"} <= {
        FindingKind.NEAR_TIE,
        FindingKind.LABEL_REGRESSION,
    }


def test_nothing_is_kept_and_nobody_is_told(admin_client: Client, mailoutbox: list[Any]) -> None:
    flips_and_flakes()
    before = everything_stored()

    answer = send(admin_client, f"version: 1\n{LENIENT[2]}")

    assert answer.status_code == 200
    assert everything_stored() == before
    assert mailoutbox == []


def test_only_the_newest_runs_are_judged_and_each_ci_run_once() -> None:
    history(SIZE, 3)
    for attempt in (1, 2):
        case = CaseRun(CASE, FLIP, "billing")
        take(suite(SIZE, case), 30, run_id="ci-7", attempt=attempt, **PR)

    found = preview(BLOCKING, newest=2)

    assert [each.run.attempt for each in found.runs] == [2, 1]
    assert [each.then for each in found.runs] == ["blocked", "passed"]


def test_runs_that_time_is_too_short_for_are_told() -> None:
    history(SIZE, 3)

    found = preview(BLOCKING, seconds=-1.0)

    assert (found.runs, found.left_out) == ([], 3)


def test_the_page_counts_first_and_links_run_and_case(admin_client: Client) -> None:
    flips_and_flakes()

    page = shown(send(admin_client, BLOCKING))

    assert "2 of 15 runs would be judged differently" in page
    assert page.index("2 findings would be another one") < page.index("Findings that change")
    assert 'class="badge badge--bad"' in page
    assert "label regression" in page
    assert "Nothing was changed, and nobody was told." in page
    assert "expected flake</span>" not in page


def test_the_form_begins_with_the_policy_in_force(admin_client: Client) -> None:
    make_repository(REPO)
    set_policy("gate: {undecided: neutral}\n")

    page = shown(admin_client.get(PATH))  # type: ignore[arg-type]

    assert "gate: {undecided: neutral}" in page
    assert 'value="50"' in page


def test_a_policy_that_says_the_same_is_told_to(admin_client: Client) -> None:
    history(SIZE, 1)
    text = set_policy("gate: {undecided: neutral}\n").text

    page = shown(send(admin_client, text.replace("\n", "\r\n")))

    assert "This policy says the same as the one in force." in page
    assert "Nothing would change in the newest 1 run" in page


def test_rules_that_match_nothing_are_told(admin_client: Client) -> None:
    history(SIZE, 1)

    page = shown(send(admin_client, 'version: 1\nbudgets:\n  - match: "none/**"\n    rate: 2%\n'))

    assert "Rules that match no LLM case: <code>budgets[0], none/**</code>" in page


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("version: 1\nbudgets: 3\n", "line 2, column 10"),
        ("version: 1\nflips: pass\n", "no key excuses a label flip"),
        ("version: 1\n\tgate: {}\n", "line 2"),
        ("version: 1\nllm_tests: [\0]\n", "Null characters are not allowed"),
        ("version: 1\n" + "#" * LARGEST_BYTES, "at most 65536 characters"),
        ("", "Paste the whole file"),
    ],
)
def test_a_wrong_policy_shows_what_the_checker_says(
    admin_client: Client, text: str, told: str
) -> None:
    history(SIZE, 1)

    answer = send(admin_client, text)

    assert answer.status_code == 400
    assert told in shown(answer)
    assert "would be judged" not in shown(answer)


@pytest.mark.parametrize("runs", ["0", "201", "many", ""])
def test_a_number_of_runs_that_is_out_of_bounds_is_refused(admin_client: Client, runs: str) -> None:
    make_repository(REPO)

    assert send(admin_client, BLOCKING, runs).status_code == 400


def test_without_runs_there_is_nothing_to_judge(admin_client: Client) -> None:
    make_repository(REPO)

    assert "No run of this repository has been judged yet." in shown(send(admin_client, BLOCKING))


def test_only_who_may_change_something_finds_the_way(admin_client: Client) -> None:
    from tests.web.people import member

    make_repository(REPO)

    assert PATH in admin_client.get(f"/repositories/{REPO}/policy/").content.decode()
    assert PATH not in member().get(f"/repositories/{REPO}/policy/").content.decode()


@pytest.mark.browser
@pytest.mark.parametrize("width", [375, 1440])
def test_a_browser_shows_a_preview_whole_at_every_width(
    live_server: Any, browser_page: Any, admin_client: Client, width: int
) -> None:
    flips_and_flakes()
    session = admin_client.cookies[settings.SESSION_COOKIE_NAME].value
    cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}
    browser_page.context.add_cookies([cookie])
    browser_page.set_viewport_size({"width": width, "height": 900})

    browser_page.goto(PATH)
    browser_page.fill("textarea", BLOCKING)
    browser_page.click("text=Preview >> nth=-1")
    browser_page.wait_for_selector("#result")

    assert "2 of 15 runs" in browser_page.inner_text("#result")
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= width
