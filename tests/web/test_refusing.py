"""Requests that no page takes are answered with the reason, and never with an error."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.access.matrix import Route, World, make_world
from tests.access.test_matrix import pages
from tests.web.builders import REPO, make_repository
from tests.web.people import member
from triage.models import Repository

pytestmark = pytest.mark.django_db

# They are read by programs, and ask for nothing by a query.
FOR_PROGRAMS = {"healthz", "readyz", "metrics", "api-docs"}
# Whatever some page reads from its query; a page is asked for all of them at once and for each.
PARAMETERS = (
    *("q", "kind", "sort", "action", "who", "conclusion", "branch", "pr", "state", "page"),
    *("with", "group", "run", "next", "code", "rate", "calls", "cases", "runs_per_day"),
)


def path_of(world: World, route: Route) -> str:
    """Return the address of a page in a repository that has everything."""
    known = world.places[""] | world.places.get(route.name, {})
    return reverse(route.name, kwargs={name: known[name] for name in route.parameters})


def test_a_zero_byte_in_the_query_of_any_page_is_no_error_of_the_server() -> None:
    world = make_world(REPO, is_public=True)
    client = Client()
    client.cookies["sessionid"] = world.sessions["operator"]
    asked = [each for each in pages() if each.name not in FOR_PROGRAMS]

    assert {"cases", "audit-log", "policy", "uploads", "comparison"} <= {
        each.name for each in asked
    }
    for route in asked:
        path = path_of(world, route)
        for name in PARAMETERS:
            answer = client.get(path, {name: "a\0b"})
            assert answer.status_code == 400, (route.name, name)
            assert f"“{name}” holds a zero byte" in answer.content.decode()


@pytest.mark.parametrize(
    ("query", "name"), [("q=%00", "q"), ("q=a&q=%00", "q"), ("%00=a", "?"), ("a%00=b", "a")]
)
def test_the_parameter_is_named_wherever_in_it_the_byte_stands(query: str, name: str) -> None:
    answer = Client().get(f"/?{query}")

    assert answer.status_code == 400
    assert f"“{name}” holds a zero byte" in answer.content.decode()
    assert "Content-Security-Policy" in answer


def test_what_only_looks_like_one_is_searched_for() -> None:
    make_repository()

    assert member().get(f"/repositories/{REPO}/cases/?q=%2500").status_code == 200


def test_the_api_asks_who_calls_first() -> None:
    answer = Client().get("/api/v1/cases?q=%00")

    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorized")


def test_a_missing_role_is_named() -> None:
    make_repository()

    answer = member().get(f"/repositories/{REPO}/settings/members/")

    assert answer.status_code == 403
    assert f"This takes the role admin in {REPO}" in answer.content.decode()


def test_who_is_no_administrator_is_told_to_ask_one() -> None:
    answer = member().get("/setup/github/")

    assert answer.status_code == 403
    assert "This takes an administrator of the installation" in answer.content.decode()


def test_a_form_without_its_cookie_says_why_and_what_to_do() -> None:
    make_repository()
    client = Client(enforce_csrf_checks=True)

    page = client.post("/sign-in/", {"username": "ada"})

    assert page.status_code == 403
    assert "The form was not taken, and nothing was changed. CSRF cookie not set." in (
        page.content.decode()
    )
    assert "<style" not in page.content.decode()
    assert Repository.objects.count() == 1
