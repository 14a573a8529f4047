"""Every address of the URL conf as every person: who reads it, who may change something by it."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from django.test import Client

from tests.access.matrix import (
    METHODS,
    NO_SUCH_METHOD,
    PEOPLE,
    SIGN_IN,
    Route,
    answers,
    make_world,
    measured,
    routes,
    stored,
)
from triage.terms import Role

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class OfRepository:
    """What reading and changing takes."""

    read: Role = Role.VIEWER
    change: Role = Role.ADMIN


# Nothing of a repository is on these, or only what the person may see.
OPEN = frozenset(
    {"home", "healthz", "readyz", "metrics", "client", "client-file", "client-checksum"}
    | {"sign-in", "sign-out", "invitation", "api-docs", "docs", "docs-page", "docs-image"}
    | {"github-sign-in", "github-sign-in-callback", "account", "github-disconnect"}
)
OPERATORS_ONLY = frozenset(
    {"github-setup", "github-begin", "github-made", "github-enter", "github-read", "github-trial"}
)
OF_REPOSITORY: Mapping[str, OfRepository] = {
    "repository": OfRepository(),
    "budgets": OfRepository(),
    "policy": OfRepository(),
    "policy-preview": OfRepository(Role.ADMIN),
    "cases": OfRepository(),
    "table": OfRepository(),
    "badge": OfRepository(),
    "tokens": OfRepository(Role.ADMIN),
    "rotate-token": OfRepository(Role.ADMIN),
    "revoke-token": OfRepository(Role.ADMIN),
    "run": OfRepository(),
    "comparison": OfRepository(),
    "case": OfRepository(),
    "escalations": OfRepository(),
    "calibration": OfRepository(change=Role.MEMBER),
    "uploads": OfRepository(),
    "upload": OfRepository(change=Role.MEMBER),
    "mute": OfRepository(change=Role.DECIDER),
    "unmute": OfRepository(change=Role.DECIDER),
    "renames": OfRepository(change=Role.DECIDER),
    "escalation": OfRepository(change=Role.DECIDER),
    "repository-settings": OfRepository(Role.MEMBER),
    "notifications": OfRepository(Role.MEMBER),
    "publishing": OfRepository(Role.MEMBER),
    "members": OfRepository(Role.ADMIN),
    "member-role": OfRepository(),
    "remove-member": OfRepository(),
    "withdraw-invitation": OfRepository(),
    "audit-log": OfRepository(Role.ADMIN),
    "audit-csv": OfRepository(Role.ADMIN),
    "test-channel": OfRepository(),
    "remove-channel": OfRepository(),
    "send-again": OfRepository(),
}
# They ask for a token or a signature themselves, and know no sessions.
FOR_PROGRAMS = ("/api/", "/webhooks/", "/upload/", "/v1/")
DESCRIPTIONS = {"/api/v1/openapi.json", "/api/v1/policy.schema.json"}
REFUSED = {400, 401, 403, 404, 405}


def pages() -> list[Route]:
    """Return the addresses that people open."""
    return [each for each in routes() if not _is_for_programs(each)]


def programs() -> list[Route]:
    """Return the addresses that programs use."""
    return [each for each in routes() if _is_for_programs(each)]


def _is_for_programs(route: Route) -> bool:
    return route.pattern.startswith(FOR_PROGRAMS) and route.name not in OPEN


def _expected(access: OfRepository, person: str, method: str, *, is_public: bool) -> set[str]:
    """Return what a person must be answered; whoever may is answered by the page itself."""
    wanted = access.read if method == "GET" else access.change
    if method == "GET" and is_public and wanted is Role.VIEWER:
        return {"200"}
    if person == "signed out":
        return {SIGN_IN}
    role = {"stranger": None, "operator": Role.ADMIN}.get(person, person)
    if role is None:
        return {"403"} if is_public else {"404"}
    return {"200", "302", "400"} if Role(role).covers(wanted) else {"403"}


def test_every_page_is_classified_and_nothing_else_is() -> None:
    names = {each.name for each in pages()}

    assert names == OPEN | OPERATORS_ONLY | set(OF_REPOSITORY), (
        "say in this test who may open a new page, and who may change something by it"
    )


@pytest.mark.parametrize("is_public", [False, True])
def test_a_page_of_a_repository_answers_each_person_as_their_role_says(*, is_public: bool) -> None:
    world = make_world("acme/support-bot", is_public=is_public)
    wrong = []
    for route in pages():
        access = OF_REPOSITORY.get(route.name)
        for method in METHODS if access else ():
            got = answers(world, route, method)
            if got["operator"] == NO_SUCH_METHOD:
                continue
            expected = {
                person: _expected(access, person, method, is_public=is_public)  # type: ignore[arg-type]
                for person in PEOPLE
            }
            wrong += [
                f"{method} {route.pattern} as {person}: {got[person]}"
                for person in PEOPLE
                if got[person] not in expected[person]
            ]

    assert wrong == []


def test_the_pages_of_the_installation_are_for_operators() -> None:
    world = make_world("acme/support-bot", is_public=True)

    for route in pages():
        for method in METHODS if route.name in OPERATORS_ONLY else ():
            got = answers(world, route, method)
            assert got.pop("operator") not in {"403", SIGN_IN}
            assert got.pop("signed out") == SIGN_IN
            assert set(got.values()) == {"403"}, (route, got)


def test_a_session_opens_nothing_that_programs_use() -> None:
    world = make_world("acme/support-bot", is_public=True)
    client = Client()
    client.cookies["sessionid"] = world.sessions["operator"]

    assert len(programs()) > 20
    for route in programs():
        path = filled(route)
        for method in METHODS if path not in DESCRIPTIONS else ():
            status = client.generic(method, path).status_code
            assert status in REFUSED, (method, path, status)


def test_the_documented_table_is_what_is_answered() -> None:
    assert stored() == measured(pages()), "write it anew with python -m tests.access.matrix"


def filled(route: Route) -> str:
    """Return an address with something in place of every parameter."""
    import re

    without_groups = re.sub(r"\(\?P<\w+>[^)]*\)", "abc", route.pattern)
    without_choices = re.sub(r"\(\?:([\w-]+)[^)]*\)", r"\1", without_groups)
    numbered = re.sub(r"<(?:int:)?\w*(?:id|pk)\w*>", "1", without_choices)
    return re.sub(r"<[^>]+>", "abc", numbered).replace("/?", "").replace(r"[\w-]+", "abc")
