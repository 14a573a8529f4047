"""Verdicts on a forge without the App: GitLab, and GitHub with a token."""

import random
from collections.abc import Iterator
from datetime import timedelta
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from tests.flows.github import publish_all
from tests.flows.suites import FLIP, REPO, START, WORDING, CaseRun, history, sha, suite, take
from tests.servers.github.server import fake_github
from tests.servers.github.status_operations import LOGIN, add_token
from tests.servers.github.status_operations import TOKEN as GITHUB_TOKEN
from tests.servers.github.world import World as GitHub
from tests.servers.gitlab.server import TOKEN, RefusalError, fake_gitlab
from tests.servers.gitlab.server import World as GitLab
from triage.errors import InvalidRequestError
from triage.models import AuditEntry, ForgeSettings, Publication, Repository
from triage.publish.choosing import PublisherRequest, address_of, choose_publisher
from triage.publish.comment import MARKER
from triage.publish.starting import start_due
from triage.sealing import unseal
from triage.terms import PublicationState, PublisherKind

pytestmark = pytest.mark.django_db(transaction=True)

HEAD = sha(20)
PROJECT = "acme/tools/support-bot"
NUMBER = 7
SIZE = 6
CASE = "test_ticket[1]"
PAGE = f"/repositories/{REPO}/publishing/"


@pytest.fixture(autouse=True)
def _now(settings: Any) -> Iterator[None]:
    """Our forges are on this machine, on the day of the runs."""
    settings.ALLOW_PRIVATE_WEBHOOKS = True
    with time_machine.travel(START + timedelta(hours=30)):
        yield


@pytest.fixture
def gitlab() -> Iterator[GitLab]:
    """Return a GitLab with the project, which publishes for the repository."""
    with fake_gitlab(PROJECT) as made:
        made.commits.add(HEAD)
        made.merge_requests.add(NUMBER)
        choose(PublisherKind.GITLAB, made.web, PROJECT, TOKEN)
        yield made
        assert made.violations() == []


@pytest.fixture
def github() -> Iterator[GitHub]:
    """Return a GitHub without an App, for which a token was entered."""
    with fake_github("/api/v3") as made:
        made.add_repository(REPO, HEAD).pulls[NUMBER] = {"head_sha": HEAD}
        add_token(made)
        choose(PublisherKind.GITHUB_STATUS, made.web, "", GITHUB_TOKEN)
        yield made
        assert made.violations() == []


def choose(
    kind: PublisherKind, address: str = "", project: str = "", token: str = ""
) -> Repository:
    """Choose a publisher for the repository."""
    repository, _ = Repository.objects.get_or_create(full_name=REPO)
    choose_publisher(repository, PublisherRequest(kind, address, project, token), "ada")
    return repository


def on_request(*changed: CaseRun, attempt: int = 1) -> dict[str, Any]:
    """Take a run of the merge request's head."""
    return take(
        suite(SIZE, *changed), 20, pr=NUMBER, branch="change", run_id="ci-20", attempt=attempt
    )


def states(gitlab: GitLab) -> list[str]:
    """Return the states that GitLab shows, the oldest first."""
    return [each["status"] for each in gitlab.statuses]


def test_gitlab_shows_a_status_and_one_note_that_is_edited_in_place(gitlab: GitLab) -> None:
    history(SIZE)
    for attempt in (1, 2, 3, 4):
        on_request(CaseRun(CASE, FLIP, "billing"), attempt=attempt)
        publish_all()

    # The second pass was open until its last repeat.
    assert states(gitlab) == ["failed"]
    assert "Do not merge: 1 label regression" in gitlab.statuses[0]["description"]
    assert gitlab.statuses[0]["target_url"].startswith("http://127.0.0.1:8000/runs/")
    (note,) = gitlab.notes.values()
    assert "Do not merge: 1 label regression" in note["body"]
    assert "never charged: label flips are not flakes" in note["body"]


def test_a_clean_run_on_gitlab_leaves_no_note(gitlab: GitLab) -> None:
    on_request()
    publish_all()

    assert (states(gitlab), gitlab.notes) == (["success"], {})


def test_what_says_the_same_is_not_sent_again(gitlab: GitLab) -> None:
    on_request(CaseRun(CASE, WORDING))
    publish_all()
    Publication.objects.update(sent_digest="", state=PublicationState.WAITING)
    publish_all()

    writes = [method for method, *_ in gitlab.log if method != "GET"]
    assert writes == ["POST", "POST"]


def test_a_note_of_somebody_else_with_our_marker_is_left_alone(gitlab: GitLab) -> None:
    gitlab.add_note(NUMBER, f"{MARKER} mine", {"id": 99, "username": "eve"})
    on_request(CaseRun(CASE, WORDING))
    publish_all()

    assert [each["author"]["id"] for each in gitlab.notes.values()] == [99, 31]


def test_a_deleted_note_is_made_anew(gitlab: GitLab) -> None:
    on_request(CaseRun(CASE, WORDING))
    publish_all()
    gitlab.notes.clear()
    on_request(CaseRun(CASE, FLIP, "billing"), attempt=2)
    publish_all()

    assert len(gitlab.notes) == 1


def test_faults_of_gitlab_make_neither_a_second_note_nor_a_wrong_status(gitlab: GitLab) -> None:
    history(SIZE)
    rng = random.Random(7)
    faults = [
        RefusalError(502, "Bad Gateway"),
        RefusalError(429, "Too many requests", Retry_After="5"),
        RefusalError(429, "This endpoint has been requested too many times."),
        None,
    ]
    for attempt in range(1, 13):
        for _ in range(3):
            gitlab.faults.append(("POST|PUT", rng.choice(faults), rng.random() < 0.5))
        on_request(*[CaseRun(CASE, WORDING)] * (attempt % 2), attempt=attempt)
        publish_all()

    assert len(gitlab.notes) == 1
    assert states(gitlab)[-1] == "success"
    of_request = Publication.objects.filter(subject__in=[HEAD, str(NUMBER)])
    assert {each.state for each in of_request} == {PublicationState.DONE}


def test_gitlab_is_left_alone_for_as_long_as_it_asked(gitlab: GitLab) -> None:
    gitlab.faults.append(("GET .*statuses", RefusalError(429, "slow", Retry_After="50"), False))
    on_request()

    chosen, publication = ForgeSettings.objects.get(), Publication.objects.get()
    waits = chosen.next_write_at - publication.changed_at
    assert timedelta(seconds=49) < waits < timedelta(seconds=120)
    assert start_due() == 0
    assert states(gitlab) == []


def test_what_a_revoked_token_could_not_send_waits_for_a_new_one(
    gitlab: GitLab, admin_client: Client
) -> None:
    gitlab.faults.append(("GET", RefusalError(401, "401 Unauthorized"), False))
    on_request()

    publication = Publication.objects.get()
    assert (publication.state, publication.attempts) == (PublicationState.WAITING, 0)
    assert publication.error == (
        "GitLab answered 401: 401 Unauthorized; enter a new token on the repository's page of "
        "publishing, and this is sent"
    )
    assert start_due() == 0
    assert publication.error in unescape(admin_client.get(PAGE).content.decode())

    choose(PublisherKind.GITLAB, gitlab.web, PROJECT, TOKEN)
    publish_all()
    publication.refresh_from_db()
    assert (publication.state, publication.error) == (PublicationState.DONE, "")
    assert states(gitlab) == ["success"]


def test_github_without_the_app_gets_a_status_and_one_comment(github: GitHub) -> None:
    history(SIZE)
    on_request(CaseRun(CASE, FLIP, "billing"))
    publish_all()
    for attempt in (2, 3, 4):
        on_request(CaseRun(CASE, FLIP, "billing"), attempt=attempt)
    publish_all()

    made = github.repositories[REPO]
    newest, *before = [each["state"] for each in made.statuses]
    assert (newest, set(before)) == ("failure", {"pending"})
    assert {each["context"] for each in made.statuses} == {"Tiebreak"}
    (comment,) = made.comments.values()
    assert comment["author"] == LOGIN
    assert made.checks == {}


def test_a_comment_whose_answer_was_lost_is_found_again_by_its_author(github: GitHub) -> None:
    github.faults.append(("POST .*comments", None, True))
    on_request(CaseRun(CASE, WORDING))
    publish_all()
    on_request(CaseRun(CASE, FLIP, "billing"), attempt=2)
    publish_all()

    assert len(github.repositories[REPO].comments) == 1


def test_nothing_is_published_where_that_was_chosen(gitlab: GitLab) -> None:
    choose(PublisherKind.NONE)
    on_request(CaseRun(CASE, FLIP, "billing"))
    publish_all()

    assert (gitlab.statuses, gitlab.notes) == ([], {})
    assert not Publication.objects.exists()


def test_a_token_is_tried_stored_encrypted_and_kept_for_its_place_alone(gitlab: GitLab) -> None:
    stored = ForgeSettings.objects.get()
    assert TOKEN not in stored.sealed_token
    assert unseal(stored.sealed_token) == TOKEN

    choose(PublisherKind.GITLAB, gitlab.web, PROJECT)
    assert unseal(ForgeSettings.objects.get().sealed_token) == TOKEN
    with pytest.raises(InvalidRequestError, match="a token is needed"):
        choose(PublisherKind.GITLAB, gitlab.web, "acme/other")
    with pytest.raises(InvalidRequestError, match="GitLab answered 401: 401 Unauthorized"):
        choose(PublisherKind.GITLAB, gitlab.web, PROJECT, "wrong")
    assert ForgeSettings.objects.get().project == PROJECT


def test_an_address_in_the_own_network_is_refused(settings: Any) -> None:
    settings.ALLOW_PRIVATE_WEBHOOKS = False
    for address in ("https://127.0.0.1:8443", "http://gitlab.example", "https://169.254.169.254"):
        with pytest.raises(InvalidRequestError):
            choose(PublisherKind.GITLAB, address, PROJECT, TOKEN)
    assert not ForgeSettings.objects.exists()


def test_another_place_is_looked_at_anew(gitlab: GitLab) -> None:
    on_request(CaseRun(CASE, WORDING))
    publish_all()
    assert set(Publication.objects.values_list("remote_id", flat=True)) != {None}

    choose(PublisherKind.NONE)

    assert set(Publication.objects.values_list("remote_id", "sent_digest")) == {(None, "")}


def test_an_admin_of_the_repository_chooses_on_its_page(gitlab: GitLab) -> None:
    ForgeSettings.objects.all().delete()
    told = {"kind": "gitlab", "address": gitlab.web, "project": PROJECT, "token": TOKEN}
    admin = Client()
    admin.force_login(User.objects.create_superuser("ada", password="correct horse battery"))

    assert Client().post(PAGE, told).status_code == 302
    assert not ForgeSettings.objects.exists()
    refused = admin.post(PAGE, told | {"token": "wrong"})
    assert refused.status_code == 400
    assert "does not reach acme/tools/support-bot" in unescape(refused.content.decode())
    assert admin.post(PAGE, told).status_code == 302

    on_request(CaseRun(CASE, WORDING))
    publish_all()
    page = unescape(admin.get(PAGE).content.decode())
    assert "GitLab with a token" in page
    assert "comment on #7" in page
    assert TOKEN not in page
    assert AuditEntry.objects.filter(action="publisher_chosen", who="ada").count() == 1


def test_the_page_fills_in_the_place_so_that_a_new_token_goes_nowhere_else(gitlab: GitLab) -> None:
    admin = Client()
    admin.force_login(User.objects.create_superuser("ada", password="correct horse battery"))
    form = admin.get(PAGE).context["form"]
    shown = {field.name: field.value() or "" for field in form}

    assert shown == {"kind": "gitlab", "address": gitlab.web, "project": PROJECT, "token": ""}
    assert admin.post(PAGE, shown | {"token": TOKEN}).status_code == 302
    assert ForgeSettings.objects.get().api_url == f"{gitlab.web}/api/v4"


@pytest.mark.parametrize(
    ("kind", "api_url", "address"),
    [
        (PublisherKind.GITLAB, "https://gitlab.com/api/v4", "https://gitlab.com"),
        (PublisherKind.GITHUB_STATUS, "https://api.github.com", "https://github.com"),
        (
            PublisherKind.GITHUB_STATUS,
            "https://git.acme.example/api/v3",
            "https://git.acme.example",
        ),
        (PublisherKind.NONE, "", ""),
    ],
)
def test_a_place_is_shown_as_people_know_it(
    kind: PublisherKind, api_url: str, address: str
) -> None:
    assert address_of(ForgeSettings(kind=kind, api_url=api_url)) == address


def test_the_command_chooses_the_same(gitlab: GitLab, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    out = StringIO()
    arguments = ("publisher", REPO, "gitlab", "--address", gitlab.web, "--project", PROJECT)

    call_command(*arguments, "--token-file", str(file), stdout=out)

    assert out.getvalue().startswith(f"{REPO}: verdicts are shown by gitlab of {PROJECT} at http")
    file.write_text("wrong")
    with pytest.raises(CommandError, match="GitLab answered 401"):
        call_command(*arguments, "--token-file", str(file), stdout=out)
