"""The door to pages: nothing is told of what is not open, and who signs in comes back."""

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client

from tests.web.builders import AT, REPO, make_judged_run, make_repository
from triage.access.reading import let_everybody_read
from triage.models import AuditEntry, Membership, ProviderIncident, Repository
from triage.terms import Role

pytestmark = pytest.mark.django_db

SETTINGS = f"/repositories/{REPO}/settings/"
PASSWORD = "correct horse battery"


def person(role: Role | None = None, name: str = "ada") -> Client:
    """Return the client of somebody, with or without a role in the repository."""
    user = User.objects.create_user(name, password=PASSWORD)
    if role:
        repository = Repository.objects.get(full_name=REPO)
        Membership.objects.create(repository=repository, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


def test_a_stranger_cannot_tell_what_is_private_from_what_is_not_there() -> None:
    run = make_judged_run(make_repository())
    stranger = person()

    answers = [stranger.get(f"/runs/{pk}/") for pk in (run.pk, run.pk + 1)]

    assert [answer.status_code for answer in answers] == [404, 404]
    words = [answer.content.decode().split("<h1>")[1] for answer in answers]
    assert words[0].replace(f"run {run.pk}", "") == words[1].replace(f"run {run.pk + 1}", "")
    assert REPO not in words[0]


def test_whoever_is_signed_out_is_led_back_to_the_page_with_its_query() -> None:
    make_repository()
    person()
    client = Client()
    path = f"/r/{REPO}/?conclusion=blocked&page=2"

    asked = client.get(path)["Location"]
    page = client.get(asked)
    told = {"name": "ada", "password": PASSWORD, "next": page.context["next"]}

    assert asked.startswith("/sign-in/?next=")
    assert client.post("/sign-in/", told)["Location"] == path


def test_a_name_that_no_database_can_hold_is_one_that_is_not_there() -> None:
    make_repository()

    assert Client().get("/r/acme/%00/").status_code == 302
    assert person().get("/r/acme/%00/").status_code == 404


@time_machine.travel(AT, tick=False)
def test_incidents_of_the_installation_are_shown_to_its_people_alone() -> None:
    let_everybody_read(make_repository(), is_public=True)
    ProviderIncident.objects.create(provider="acme-llm", opened_at=AT, last_error_at=AT)

    assert "acme-llm" not in Client().get("/").content.decode()
    assert "acme-llm" in person().get("/").content.decode()


def test_what_is_private_and_what_is_not_there_both_lead_to_signing_in() -> None:
    make_repository()

    there, elsewhere = (Client().get(f"/r/{name}/")["Location"] for name in (REPO, "acme/nowhere"))

    assert there.replace(REPO, "") == elsewhere.replace("acme/nowhere", "")


@pytest.mark.parametrize(
    ("form", "back"),
    [("http://testserver/cases/1/?a=b", "/cases/1/%3Fa%3Db"), ("https://evil.example/x", "/")],
)
def test_a_form_that_was_sent_after_signing_out_leads_back_to_its_page(
    form: str, back: str
) -> None:
    answer = Client().post("/cases/1/mute/", headers={"Referer": form})

    assert answer["Location"] == f"/sign-in/?next={back}"


def test_a_public_repository_is_read_by_everybody_and_changed_by_its_people() -> None:
    make_judged_run(make_repository())
    Repository.objects.update(is_public=True)

    assert Client().get(f"/r/{REPO}/").status_code == 200
    assert Client().get(SETTINGS)["Location"].startswith("/sign-in/")
    assert person().get(SETTINGS).status_code == 403


def test_pages_are_kept_by_no_shared_cache() -> None:
    make_repository()

    assert "private" in person(Role.VIEWER).get(f"/r/{REPO}/")["Cache-Control"]


def test_the_first_page_lists_what_is_open_to_who_asks() -> None:
    make_judged_run(make_repository(), headline="secret headline")
    Repository.objects.create(full_name="acme/public", is_public=True)

    for client, sees in ((Client(), False), (person(), False), (person(Role.VIEWER, "bob"), True)):
        page = client.get("/").content.decode()
        assert (REPO in page) is sees
        assert "acme/public" in page


def test_the_first_page_asks_to_sign_in_where_nothing_is_open() -> None:
    make_repository()

    assert Client().get("/")["Location"] == "/sign-in/?next=/"
    assert "No repository is open to you yet" in person().get("/").content.decode()


def test_an_admin_opens_the_pages_and_the_log_keeps_it() -> None:
    make_repository()
    admin = person(Role.ADMIN)

    assert admin.post(SETTINGS, {"is_public": "on"}).status_code == 302
    assert admin.post(SETTINGS, {"is_public": "on"}).status_code == 302
    assert Repository.objects.get().is_public
    assert "Everybody who reaches this server" in admin.get(SETTINGS).content.decode()
    assert AuditEntry.objects.filter(action="public_read_on", who="ada").count() == 1


def test_a_member_sees_the_settings_and_changes_none() -> None:
    make_repository()
    member = person(Role.MEMBER)

    assert 'name="is_public"' not in member.get(SETTINGS).content.decode()
    assert member.post(SETTINGS, {"is_public": "on"}).status_code == 403
    assert not Repository.objects.get().is_public
