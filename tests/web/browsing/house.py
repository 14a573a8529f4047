"""A repository in which every page has something to show: weeks of runs, questions, faults."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.test import Client
from django.utils import timezone

from tests.access.matrix import World, make_world, path_of
from tests.access.test_matrix import pages
from tests.flows.policies import set_policy, tie_break
from tests.flows.suites import (
    CRASH,
    FLIP,
    RATE_LIMIT,
    REPO,
    WORDING,
    CaseRun,
    report,
    sha,
    suite,
    take,
)
from triage import pipeline
from triage.models import Case, Escalation, Repository, Run
from triage.parse.archives import UploadedFile
from triage.terms import EscalationState
from triage.upload.acceptance import accept
from triage.upload.submission import Submission
from triage.verdict.muting import MuteRequest, mute_case

SIZE = 30
DAYS = 21
FLIPPED, FLAKY, MUTED = "test_ticket[7]", "test_ticket[3]", "test_ticket[5]"
READER = "operator"
BLOCKED_PR, HELD_PR, GREEN_PR = 41, 42, 43
ESCALATE = '{policy: escalate, to: "@acme/fraud-ops", due: 4h}'


def furnish(hook: str) -> World:
    """Take weeks of runs through the real door; return the addresses of what they left."""
    world = make_world(REPO, is_public=False, hook=hook)
    for day in range(DAYS, 0, -1):
        _main_run(day)
    for attempt in range(1, 5):
        _pull_request(BLOCKED_PR, attempt, CaseRun(FLIPPED, FLIP, "billing"))
    set_policy(tie_break(ESCALATE))
    _pull_request(HELD_PR, 1, CaseRun(FLIPPED, FLIP, "billing"), CaseRun(FLAKY, WORDING))
    _pull_request(GREEN_PR, 1, CaseRun(FLAKY, WORDING), CaseRun("test_ticket[9]", RATE_LIMIT))
    _broken_upload()
    ends = timezone.now() + timedelta(days=5)
    mute_case(Case.objects.get(name=MUTED), MuteRequest("@acme/refunds", "rollout", ends), "ada")
    world.places |= _places()
    return world


def addresses(world: World) -> dict[str, str]:
    """Return where each page is that the URL conf has for people, by its name."""
    reader = Client()
    reader.cookies[settings.SESSION_COOKIE_NAME] = world.sessions[READER]
    named = {route.name: path_of(world, route) for route in pages()}
    return {name: path for name, path in named.items() if _is_page(reader.get(path))}


def run_of(pull_request: int) -> Run:
    """Return the newest run of a pull request."""
    return Run.objects.filter(pr=pull_request).latest("pk")


def _is_page(answer: Any) -> bool:
    answer.close()
    return answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html")


def _main_run(day: int) -> None:
    changed = [CaseRun(FLAKY, WORDING)] if day % 4 == 0 else []
    changed += [CaseRun(MUTED, WORDING)] if day % 5 == 0 else []
    changed += [CaseRun("test_ticket[11]", CRASH)] if day == DAYS // 2 else []
    changed += [CaseRun("test_ticket[9]", RATE_LIMIT)] if day % 7 == 0 else []
    changed += [CaseRun(FLIPPED, FLIP, "billing")] if day == DAYS - 1 else []
    take(suite(SIZE, *changed), day, at=timezone.now() - timedelta(days=day), branch="main")


def _pull_request(number: int, attempt: int, *changed: CaseRun) -> None:
    told: dict[str, Any] = {"pr": number, "branch": "change", "run_id": f"ci-{number}"}
    at = timezone.now() - timedelta(hours=number - 40, minutes=10 - attempt)
    take(suite(SIZE, *changed), 100 + number, at=at, attempt=attempt, **told)


def _broken_upload() -> None:
    files = (UploadedFile("junit.xml", report(suite(2))[:-60] + b"<broken"),)
    told = {"repo": REPO, "sha": sha(200), "run_id": "ci-broken", "branch": "change", "pr": 44}
    pipeline.process(accept(Submission(files=files, at=timezone.now(), **told)).upload.pk)


def _places() -> dict[str, dict[str, object]]:
    repository = Repository.objects.get(full_name=REPO)
    case = Case.objects.get(repository=repository, name=FLIPPED)
    blocked, held = run_of(BLOCKED_PR), run_of(HELD_PR)
    asked = Escalation.objects.filter(case__name=FLIPPED, state=EscalationState.OPEN).latest("pk")
    broken = repository.uploads.latest("received_at")
    rows = {"run": blocked, "comparison": held, "case": case, "escalation": asked, "upload": broken}
    rows |= {"mute": case, "unmute": Case.objects.get(name=MUTED)}
    return {name: {"pk": row.pk} for name, row in rows.items()}
