"""Setting the GitHub App up: from nothing, or one that exists, and what its page then shows."""

import json
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from tests.flows.github import deliver, set_up
from tests.flows.suites import REPO, sha
from tests.servers.github.server import fake_github
from tests.servers.github.world import (
    APP_ID,
    CLIENT_SECRET,
    INSTALLATION,
    SIGN_IN_CALLBACK,
    SLUG,
    WEBHOOK_SECRET,
    RefusalError,
    World,
    private_key,
)
from triage.access.invitations import accept, invite
from triage.models import AuditEntry, GitHubApp, GitHubRepository, Installation
from triage.publish.app import github_app
from triage.sealing import new_key, unseal
from triage.terms import Role

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/setup/github/"
HEAD = sha(20)


@pytest.fixture(autouse=True)
def _let_private_addresses_be_reached(settings: Any) -> None:
    """Our GitHub is on this machine."""
    settings.ALLOW_PRIVATE_WEBHOOKS = True


@pytest.fixture
def world() -> Iterator[World]:
    """Return an Enterprise Server on which nothing is set up."""
    with fake_github("/api/v3") as made:
        yield made
        assert made.violations() == []


@pytest.fixture
def admin() -> Client:
    """Return the browser of an administrator of the installation."""
    client = Client()
    client.force_login(User.objects.create_superuser("ada", password="correct horse battery"))
    return client


def text(response: HttpResponse) -> str:
    """Return what an answer shows."""
    return unescape(response.content.decode())


def begin(client: Client, world: World, **told: str) -> dict[str, str]:
    """Begin a set-up; return where GitHub sends the browser back to, and with what."""
    page = client.post(f"{PAGE}begin/", {"address": world.web, "name": "Tiebreak acme", **told})
    assert page.status_code == 200, text(page)
    action = text(page).split('class="sheet" method="post" action="')[1].split('"')[0]
    manifest = text(page).split('name="manifest" value="')[1].split('">')[0]
    answer = requests.post(action, {"manifest": manifest}, allow_redirects=False, timeout=5)
    back = urlsplit(answer.headers["Location"])
    return {"path": back.path, **{name: value[0] for name, value in parse_qs(back.query).items()}}


def test_an_app_is_made_and_its_secrets_are_stored_encrypted(admin: Client, world: World) -> None:
    back = begin(admin, world, organization="acme-inc")

    answer = admin.get(back["path"], {"code": back["code"], "state": back["state"]})

    assert answer.headers["Location"] == f"{world.web}/apps/{SLUG}/installations/new"
    stored = GitHubApp.objects.get()
    assert (stored.app_id, stored.slug, stored.api_url) == (APP_ID, SLUG, world.base)
    assert unseal(stored.sealed_client_secret) == CLIENT_SECRET
    app = github_app()
    assert app and app.webhook_secret.read() == WEBHOOK_SECRET
    assert app.private_key.read() == private_key()
    everything = json.dumps(list(GitHubApp.objects.values()), default=str)
    assert not [each for each in (WEBHOOK_SECRET, CLIENT_SECRET, "BEGIN RSA") if each in everything]
    assert AuditEntry.objects.filter(action="github_app_made", who="ada").count() == 1


def test_the_manifest_asks_for_what_the_page_explains(admin: Client, world: World) -> None:
    page = text(admin.post(f"{PAGE}begin/", {"address": world.web, "name": "Tiebreak acme"}))
    manifest = json.loads(page.split('name="manifest" value="')[1].split('">')[0])

    assert manifest["default_permissions"] == {
        "checks": "write",
        "pull_requests": "write",
        "contents": "read",
        "actions": "read",
        "merge_queues": "read",
        "metadata": "read",
    }
    assert manifest["hook_attributes"]["url"] == "http://127.0.0.1:8000/webhooks/github/"
    assert manifest["callback_urls"] == [SIGN_IN_CALLBACK]
    assert "shows each verdict as a check run" in page


def test_an_answer_counts_once_and_only_in_the_session_that_began(
    admin: Client, world: World
) -> None:
    back = begin(admin, world)
    told = {"code": back["code"], "state": back["state"]}
    stranger = Client()
    stranger.force_login(User.objects.create_superuser("eve", password="correct horse battery"))

    assert stranger.get(back["path"], told).status_code == 400
    assert admin.get(back["path"], {**told, "state": "guessed"}).status_code == 400
    assert not GitHubApp.objects.exists()
    assert admin.get(back["path"], told).status_code == 302
    again = admin.get(back["path"], told)

    assert again.status_code == 400
    assert "it was used before" in text(again)


def test_a_code_that_github_does_not_know_is_told_plainly(admin: Client, world: World) -> None:
    back = begin(admin, world)

    answer = admin.get(back["path"], {"code": "unknown", "state": back["state"]})

    assert answer.status_code == 502
    assert "The App could not be taken over. GitHub answered 404: Not Found" in text(answer)
    assert not GitHubApp.objects.exists()


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ({"address": "http://169.254.169.254"}, "169.254.169.254, which is not a public address"),
        ({"address": "https://a b"}, "printable ASCII characters without blanks"),
        ({"address": "https://nowhere.invalid"}, "cannot be resolved"),
        ({"address": "http://127.0.0.1:9999/api/v3"}, "must end with the host name"),
        ({"organization": "../evil"}, "letters, digits and hyphens, got “../evil”"),
    ],
)
def test_what_is_not_legal_is_refused(admin: Client, told: dict[str, str], problem: str) -> None:
    answer = admin.post(f"{PAGE}begin/", {"name": "Tiebreak", **told})

    assert answer.status_code == 400
    assert problem in text(answer)


def test_private_addresses_are_closed_unless_an_operator_opens_them(
    admin: Client, settings: Any
) -> None:
    settings.ALLOW_PRIVATE_WEBHOOKS = False

    answer = admin.post(f"{PAGE}begin/", {"name": "Tiebreak", "address": "https://127.0.0.1:8443"})

    assert answer.status_code == 400
    assert "an operator may allow private ones with ALLOW_PRIVATE_WEBHOOKS=true" in text(answer)


def test_an_app_that_exists_is_entered_once_github_recognises_it(
    admin: Client, world: World
) -> None:
    world.add_repository(REPO, HEAD)
    told = {
        "app_id": APP_ID,
        "private_key": private_key(),
        "webhook_secret": WEBHOOK_SECRET,
        "address": world.web,
    }

    refused = admin.post(f"{PAGE}enter/", {**told, "app_id": 1})
    assert "GitHub does not take this id with this key. GitHub answered 404" in text(refused)
    assert not GitHubApp.objects.exists()
    answer = admin.post(f"{PAGE}enter/", told)

    assert answer.status_code == 302
    assert GitHubApp.objects.get().slug == SLUG
    # What was installed before is known without any delivery.
    assert Installation.objects.get().account == "acme"
    assert GitHubRepository.objects.get().repository.full_name == REPO


def test_a_client_secret_that_is_entered_stays_until_another_one_is(
    admin: Client, world: World
) -> None:
    told = {"app_id": APP_ID, "private_key": private_key(), "address": world.web}
    told |= {"webhook_secret": WEBHOOK_SECRET, "client_secret": CLIENT_SECRET}
    admin.post(f"{PAGE}enter/", told)
    del told["client_secret"]
    admin.post(f"{PAGE}enter/", told)

    app = github_app()
    assert app is not None and app.lets_sign_in
    assert app.client_secret.read() == CLIENT_SECRET
    page = text(admin.get(PAGE))
    assert f"on; callback URL <bdi>{SIGN_IN_CALLBACK}</bdi>" in page
    assert CLIENT_SECRET not in page


def test_a_key_that_is_none_is_refused_and_never_shown_again(admin: Client) -> None:
    told = {"app_id": 1, "private_key": "no key", "webhook_secret": "hunter2"}

    answer = admin.post(f"{PAGE}enter/", told)

    assert answer.status_code == 400
    assert "must be an RSA key in PEM form" in text(answer)
    assert "hunter2" not in text(answer)


@pytest.mark.parametrize("path", ["", "begin/", "made/", "enter/", "read/", "trial/"])
def test_only_administrators_of_the_installation_come_in(path: str) -> None:
    repository = set_up_nothing()
    accept(invite("bob", repository, Role.ADMIN, "ada").rsplit("/", 2)[1], "correct horse battery")
    member, nobody = Client(), Client()
    member.force_login(User.objects.get(username="bob"))

    assert member.get(f"{PAGE}{path}").status_code == 403
    assert nobody.get(f"{PAGE}{path}").headers["Location"].startswith("/sign-in/?next=/setup/")


def set_up_nothing() -> Any:
    """Return a repository that has an administrator of its own."""
    from triage.models import Repository

    return Repository.objects.create(full_name=REPO)


def test_the_page_shows_rights_installations_deliveries_and_limit(
    admin: Client, world: World
) -> None:
    set_up(world, HEAD)
    world.granted = world.permissions | {"checks": "read"}
    world.add_delivery("lost", "push", 502)
    deliver("pull_request", {"action": "opened"}, delivery="known")
    world.add_delivery("known", "pull_request opened", 202)

    page = text(admin.get(PAGE))

    assert "has not granted checks: write" in page
    assert "granted by 0 of 1" in page
    assert "The App is not told of" in page
    assert "workflow_run" in page
    assert "4988 of 5000" in page
    lost = page.split("<code>push ")[1].split("</tr>")[0]
    assert "502" in lost
    assert "never came in" in lost
    known = page.split("<code>pull_request opened")[1].split("</tr>")[0]
    assert "202" in known
    assert "processed" in known


def test_a_test_check_is_published_and_read_back(admin: Client, world: World) -> None:
    set_up(world, HEAD)
    known = GitHubRepository.objects.get()

    page = text(admin.post(f"{PAGE}trial/", {"repository": known.pk}))

    assert "GitHub shows the test check on" in page
    (check,) = world.repositories[REPO].checks.values()
    assert (check["head_sha"], check["conclusion"]) == (HEAD, "neutral")
    assert f"/runs/{check['id']}" in page


def test_a_refused_test_check_is_told_in_github_s_words(admin: Client, world: World) -> None:
    set_up(world, HEAD)
    world.faults.append(
        ("POST .*check-runs", RefusalError(403, "Resource not accessible by integration"), False)
    )
    known = GitHubRepository.objects.get()

    answer = admin.post(f"{PAGE}trial/", {"repository": known.pk})

    assert answer.status_code == 502
    assert "GitHub answered 403: Resource not accessible by integration" in text(answer)


def test_the_page_stands_while_github_does_not_answer(admin: Client, world: World) -> None:
    set_up(world, HEAD)
    world.faults.append(("GET /app$", None, False))

    page = text(admin.get(PAGE))

    assert "GitHub cannot be reached: ConnectionError" in page
    assert "What follows is what is known here" in page
    assert "installation created" in page


def test_lost_keys_are_told_on_the_page(admin: Client, world: World, settings: Any) -> None:
    settings.FIELD_KEYS = [new_key()]
    set_up(world, HEAD)
    settings.FIELD_KEYS = []

    assert "none of FIELD_KEYS decrypts it" in text(admin.get(PAGE))


def test_the_environment_wins_and_the_page_says_so(
    admin: Client, world: World, settings: Any
) -> None:
    set_up(world, HEAD)
    GitHubApp.objects.update(slug="stored")
    settings.GITHUB_APP_ID, settings.GITHUB_APP_SLUG = APP_ID, SLUG
    settings.GITHUB_PRIVATE_KEY, settings.GITHUB_WEBHOOK_SECRET = private_key(), "told"
    settings.GITHUB_API_URL = world.base

    page = text(admin.get(PAGE))

    assert "by the environment, which wins over what is stored" in page
    assert "Take those settings away first" in page
    assert deliver("ping", {}, secret="told") == 202
    assert deliver("ping", {}) == 401


def test_installations_that_were_missed_or_are_gone_are_mended(admin: Client, world: World) -> None:
    set_up(world, HEAD)
    gone = Installation.objects.create(github_id=INSTALLATION + 1, account="old")
    world.add_repository("acme/second", HEAD)

    admin.post(f"{PAGE}read/")

    gone.refresh_from_db()
    assert gone.removed_at is not None
    names = GitHubRepository.objects.values_list("repository__full_name", flat=True)
    assert set(names) == {REPO, "acme/second"}


WIDTHS = (320, 768, 1280, 1920)


@pytest.mark.browser
def test_the_whole_set_up_works_in_a_browser_without_script_at_every_width(
    browser: Any,
    live_server: Any,
    world: World,
    settings: Any,
    take_setup_screenshot: Callable[["Page", str], None],
) -> None:
    settings.TIEBREAK_URL = live_server.url
    User.objects.create_superuser("ada", password="correct horse battery")
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(PAGE)
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    take_setup_screenshot(page, "empty")
    page.get_by_text("For an organisation").click()
    page.get_by_label("Address of your GitHub").first.fill(world.web)
    page.get_by_role("button", name="Show what will be made").click()
    take_setup_screenshot(page, "begin")
    world.add_repository(REPO, HEAD)
    world.add_delivery("lost", "push", 502)
    page.get_by_role("button", name="Continue on GitHub").click()

    # GitHub led on to the installation, and from there back here.
    assert page.url == f"{live_server.url}{PAGE}"
    page.get_by_role("button", name="Read installations again").click()
    page.get_by_role("button", name="Send test check").click()
    page.get_by_text("GitHub shows the test check on").wait_for()
    take_setup_screenshot(page, "app")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        overflow = page.locator("html").evaluate("e => e.scrollWidth > e.clientWidth")
        assert not overflow, width
    context.close()


@pytest.fixture
def take_setup_screenshot() -> Callable[["Page", str], None]:
    """Keep what a page shows, narrow and wide, light and dark."""
    from tests.conftest import SCREENSHOTS

    def take(page: "Page", name: str) -> None:
        SCREENSHOTS.mkdir(exist_ok=True)
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                page.set_viewport_size({"width": width, "height": 900})
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                file = SCREENSHOTS / f"github-setup-{name}-{width}-{scheme}.png"
                page.screenshot(path=Path(file), full_page=True)

    return take
