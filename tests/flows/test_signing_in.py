"""Signing in with GitHub: the whole way, what goes wrong on it, and what nobody gets by forging."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.flows.github import set_up
from tests.flows.signing_in import BEGIN, OCTO, be, begin, consent, problem, sign_in
from tests.flows.suites import REPO, sha
from tests.servers.github.server import fake_github
from tests.servers.github.world import SIGN_IN_CALLBACK, RefusalError, World
from triage.access.github_accounts import GitHubPerson, connect, person_of
from triage.models import AuditEntry, GitHubApp

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "correct horse battery"
SIGNED_IN = "Signed in as <bdi>ada</bdi>"


BOTH_EDITIONS = pytest.mark.parametrize(
    "world", ["", "/api/v3"], ids=["github.com", "enterprise"], indirect=True
)


@pytest.fixture
def world(request: Any) -> Iterator[World]:
    """Return a GitHub whose App is installed, and whose octo agrees to everything."""
    with fake_github(getattr(request, "param", "/api/v3")) as made:
        set_up(made, sha(1))
        be(made)
        yield made
        assert made.violations() == []


@pytest.fixture
def ada(world: World) -> User:
    """Return a person with a password, whose account is octo's on GitHub."""
    user = User.objects.create_user("ada", password=PASSWORD)
    connect(user, GitHubPerson(world.web, str(OCTO), "octo"))
    return user


def is_signed_in(client: Client) -> bool:
    """Whether a page names ada."""
    return SIGNED_IN in client.get("/").content.decode()


@BOTH_EDITIONS
def test_who_is_connected_signs_in_and_comes_back_to_the_same_page(world: World, ada: User) -> None:
    client = Client()

    answer = sign_in(client, "/client/?of=us")

    assert answer["Location"] == "/client/?of=us"
    assert is_signed_in(client)
    entry = AuditEntry.objects.get(action="signed_in")
    assert (entry.who, entry.subject) == ("ada", "with GitHub as octo")


@BOTH_EDITIONS
def test_whoever_is_signed_in_connects_and_disconnects_an_account(world: World) -> None:
    client = Client()
    ada = User.objects.create_user("ada", password=PASSWORD)
    client.force_login(ada)

    assert sign_in(client)["Location"] == "/account/"
    assert "Connected with <bdi>octo</bdi>" in client.get("/account/").content.decode()
    assert sign_in(Client())["Location"] == "/"

    client.post("/account/github/disconnect/")
    assert person_of(ada) is None
    assert "unknown" in sign_in(Client())["Location"]
    actions = AuditEntry.objects.filter(who="ada").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["github_connected", "signed_in", "github_disconnected"]


def test_a_renamed_account_is_the_same_and_its_old_name_is_nobody_s(
    world: World, ada: User
) -> None:
    be(world, "octo-new", OCTO)
    assert sign_in(Client())["Location"] == "/"
    assert person_of(ada) == GitHubPerson(world.web, str(OCTO), "octo-new")

    be(world, "octo", 999)
    client = Client()
    assert "No account here" in problem(client, sign_in(client))


def test_a_stranger_with_the_name_and_address_of_an_admin_is_not_the_admin(world: World) -> None:
    admin = User.objects.create_superuser("root", "root@acme.example", PASSWORD)
    be(world, "root", 666, "root@acme.example")
    client = Client()

    assert "No account here" in problem(client, sign_in(client))

    assert "Signed in" not in client.get("/").content.decode()
    assert person_of(admin) is None
    assert User.objects.count() == 1


def test_the_same_number_on_another_github_is_somebody_else(world: World) -> None:
    connect(User.objects.create_user("ada"), GitHubPerson("https://other.example", str(OCTO), "o"))
    client = Client()

    assert "No account here" in problem(client, sign_in(client))
    assert not is_signed_in(client)


def test_a_github_account_belongs_to_one_person(ada: User) -> None:
    eve = User.objects.create_user("eve", password=PASSWORD)
    client = Client()
    client.force_login(eve)

    assert "is connected with another account here" in problem(client, sign_in(client))
    assert (person_of(eve), person_of(ada) is None) == (None, False)


def test_who_has_no_password_is_not_left_without_a_way_in(ada: User) -> None:
    ada.set_unusable_password()
    ada.save()
    client = Client()
    sign_in(client)

    answer = client.post("/account/github/disconnect/")

    assert answer.status_code == 400
    assert "has no password" in answer.content.decode()
    assert person_of(ada) is not None


def test_an_answer_with_another_state_signs_nobody_in(ada: User) -> None:
    client = Client()
    path = consent(client)
    forged = re.sub(r"state=\w+", "state=forged", path)

    assert "belongs to no sign-in" in problem(client, client.get(forged))
    # In another browser the answer is nobody's, too.
    assert "belongs to no sign-in" in problem(client, Client().get(path))
    assert not is_signed_in(client)


def test_an_answer_counts_once(world: World, ada: User) -> None:
    client = Client()
    path = consent(client)
    assert client.get(path)["Location"] == "/"
    client.post("/sign-out/")

    assert "belongs to no sign-in" in problem(client, client.get(path))
    # A code that is tried again under a state of its own is refused by GitHub.
    used = re.search(r"code=\w+", path)
    assert used
    again = re.sub(r"code=\w+", used[0], consent(client))
    assert "did not confirm" in problem(client, client.get(again))
    assert not is_signed_in(client)


@pytest.mark.parametrize("told", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_signing_in_leads_to_no_other_host(ada: User, told: str) -> None:
    assert sign_in(Client(), told)["Location"] == "/"


def test_nothing_of_the_request_changes_what_github_is_asked(ada: User) -> None:
    forged = "?process=connect&scope=repo&auth_params=redirect_uri%3Dhttps%3A%2F%2Fevil.example"
    asked = dict(parse_qsl(urlsplit(begin(Client(), query=forged)).query, keep_blank_values=True))

    assert (asked["redirect_uri"], asked["scope"]) == (SIGN_IN_CALLBACK, "")
    assert Client().get(BEGIN).status_code == 405


def test_who_does_not_agree_is_told_so_and_keeps_the_way_back(world: World, ada: User) -> None:
    world.at_browser = None
    client = Client()

    answer = sign_in(client, "/client/")

    assert "you did not agree" in problem(client, answer)
    assert 'name="next" value="/client/"' in client.get(answer["Location"]).content.decode()


@pytest.mark.parametrize(
    ("place", "answer", "told"),
    [
        ("POST /login/oauth/access_token", RefusalError(502, "Server Error"), "did not confirm"),
        ("GET /user", RefusalError(502, "Server Error"), "cannot be reached"),
        # The line is dropped.
        ("GET /user", None, "cannot be reached"),
    ],
)
def test_a_github_that_fails_is_told_and_tried_again(
    world: World, ada: User, place: str, answer: RefusalError | None, told: str
) -> None:
    client = Client()
    path = consent(client)
    world.faults.append((place, answer, False))

    assert told in problem(client, client.get(path))
    assert sign_in(client)["Location"] == "/"


def test_an_answer_of_a_github_that_the_app_has_left_counts_for_nothing(ada: User) -> None:
    client = Client()
    path = consent(client)
    GitHubApp.objects.update(html_url="https://other.example")

    assert "belongs to no sign-in" in problem(client, client.get(path))


def test_whoever_is_shut_out_stays_out(ada: User) -> None:
    User.objects.update(is_active=False)
    client = Client()

    assert "shut out" in problem(client, sign_in(client))
    assert not is_signed_in(client)


def test_without_a_client_secret_there_is_no_button(world: World, settings: Any) -> None:
    page = "/sign-in/"
    assert "Sign in with GitHub" in Client().get(page).content.decode()
    path = consent(client := Client())
    GitHubApp.objects.update(sealed_client_secret="")

    assert "Sign in with GitHub" not in Client().get(page).content.decode()
    assert "not set up" in problem(client, client.get(path))
    assert "not set up" in problem(client, client.post(BEGIN))
    settings.GITHUB_CLIENT_ID, settings.GITHUB_CLIENT_SECRET = "Iv1.0", "told"
    assert "Sign in with GitHub" in Client().get(page).content.decode()


def test_a_client_secret_that_no_key_decrypts_is_told(world: World) -> None:
    GitHubApp.objects.update(sealed_client_secret="garbage")
    client = Client()

    assert "cannot be read" in problem(client, client.post(BEGIN))


def test_no_token_and_nothing_but_the_name_is_kept(world: World, ada: User) -> None:
    from allauth.socialaccount.models import SocialAccount, SocialToken

    be(world, "octo", OCTO, "octo@acme.example")
    client = Client()
    sign_in(client)

    assert SocialAccount.objects.get().extra_data == {"login": "octo"}
    assert not SocialToken.objects.exists()
    assert not any(token in str(dict(client.session)) for token in world.tokens)
    assert ("GET", "/user/emails") not in [each[:2] for each in world.log]


def show_whole(page: "Page", take_screenshot: Any, name: str) -> None:
    """Keep what a page shows, and see that nothing is cut off at any width."""
    for width in (320, 375, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            take_screenshot(f"{name}-{width}-{scheme}")
        is_cut = page.locator("html").evaluate("e => e.scrollWidth > e.clientWidth")
        assert not is_cut, (name, width)


@pytest.mark.browser
def test_the_whole_way_in_a_browser(
    live_server: Any, browser_page: "Page", settings: Any, take_screenshot: Any
) -> None:
    settings.TIEBREAK_URL = live_server.url
    with fake_github("/api/v3") as world:
        set_up(world, sha(1))
        world.callback_urls = [f"{live_server.url}/sign-in/github/callback/"]
        be(world)
        world.repositories[REPO].people["octo"] = "maintain"
        ada = User.objects.create_user("ada", password=PASSWORD)
        page = browser_page
        page.goto("/account/")
        page.get_by_label("Name").fill("ada")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.get_by_role("button", name="Connect with GitHub").click()
        page.get_by_text("Connected with octo").wait_for()
        page.get_by_text("decider of").wait_for()
        show_whole(page, take_screenshot, "account")
        page.get_by_role("button", name="Sign out").click()

        page.goto(f"/r/{REPO}/")
        show_whole(page, take_screenshot, "sign-in")
        page.get_by_role("button", name="Sign in with GitHub").press("Enter")
        page.wait_for_url(f"**/r/{REPO}/")
        page.get_by_text("Signed in as ada").wait_for()
        assert person_of(ada) is not None
        assert world.violations() == []
