"""Every page as every person: ask for it, and print what is answered as a table.

``python -m tests.access.matrix`` writes the table into docs/access.md.
"""

import logging
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "access.md"
BEGIN, END = "<!-- matrix -->\n", "<!-- end of the matrix -->\n"
PEOPLE = ("signed out", "stranger", "viewer", "member", "decider", "admin", "operator")
METHODS = ("GET", "POST")
HOOK = "https://93.184.216.34/hook"
SIGN_IN = "sign in"
NO_SUCH_METHOD = "405"


@dataclass(frozen=True)
class Route:
    """An address of the URL conf; ``pattern`` holds its parameters in angle brackets."""

    name: str
    pattern: str
    parameters: tuple[str, ...]


@dataclass
class World:
    """A repository with a row of everything that has a page, and people with roles in it."""

    is_public: bool
    places: dict[str, dict[str, object]] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)


def routes() -> list[Route]:
    """Return every address of the URL conf, in its order."""
    from django.urls import get_resolver

    return list(_routes(get_resolver().url_patterns, ""))


def _routes(patterns: Any, before: str) -> Iterator[Route]:
    for each in patterns:
        whole = before + str(each.pattern).lstrip("^").rstrip("$")
        if hasattr(each, "url_patterns"):
            yield from _routes(each.url_patterns, whole)
            continue
        parameters = tuple(each.pattern.regex.groupindex)
        name = each.name or whole
        yield Route(name, f"/{whole}", parameters)


def make_world(name: str, *, is_public: bool, hook: str = HOOK) -> World:
    """Make a repository with everything, and its people."""
    from tests.notifications.builders import emit_blocked, make_channel
    from tests.web import builders
    from triage.access.invitations import invite
    from triage.models import Delivery, Invitation, Membership, Token
    from triage.terms import Role
    from triage.upload.tokens import create_token

    repository = builders.make_repository(name)
    repository.is_public = is_public
    repository.save()
    case = builders.make_case(repository)
    run = builders.make_run(repository)
    upload = builders.make_upload(builders.make_part(run, {}))
    escalation = builders.make_escalation(case, builders.make_epoch(case))
    channel = make_channel(repository, hook)
    emit_blocked(repository)
    made = World(is_public)
    rows = {"run": run, "case": case, "mute": case, "unmute": case, "upload": upload}
    rows |= {"escalation": escalation, "test-channel": channel, "remove-channel": channel}
    rows["comparison"] = run
    rows["send-again"] = Delivery.objects.get(repository=repository)
    made.sessions = {person: _session(person, repository) for person in PEOPLE}
    invite(f"guest-of-{name.replace('/', '-')}", repository, Role.VIEWER)
    rows["withdraw-invitation"] = Invitation.objects.get(repository=repository)
    viewer = Membership.objects.get(repository=repository, role=Role.VIEWER)
    rows |= {"member-role": viewer, "remove-member": viewer}
    create_token(repository, "ci")
    token = Token.objects.get(repository=repository)
    rows |= {"rotate-token": token, "revoke-token": token}
    made.places = {route: {"pk": row.pk} for route, row in rows.items()}
    made.places |= {"table": {"name": "cases", "kind": "csv"}, "badge": {"name": "gate"}}
    made.places |= {"docs-page": {"name": "ci"}, "docs-image": {"name": "near-tie-held.png"}}
    made.places[""] = {"full_name": name, "secret": "unknown"}
    return made


def path_of(world: World, route: Route) -> str:
    """Return the path of a route with the rows of a world in it."""
    from django.urls import reverse

    known = world.places[""] | world.places.get(route.name, {})
    return reverse(route.name, kwargs={name: known[name] for name in route.parameters})


def answer(world: World, route: Route, person: str, method: str) -> str:
    """Return what a person gets; whatever the request changes is taken back."""
    from django.conf import settings
    from django.db import transaction
    from django.test import Client

    path = path_of(world, route)
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = world.sessions[person]
    with transaction.atomic():
        response = client.generic(method, path)
        # Whatever sends a file closes it once it is read.
        response.getvalue()
        transaction.set_rollback(True)
    to_sign_in = response.headers.get("Location", "").startswith("/sign-in/")
    return SIGN_IN if to_sign_in else str(response.status_code)


def answers(world: World, route: Route, method: str) -> dict[str, str]:
    """Return what each person gets."""
    return {person: answer(world, route, person, method) for person in PEOPLE}


def table(pages: Mapping[Route, Mapping[str, tuple[dict[str, str], dict[str, str]]]]) -> str:
    """Return answers as Markdown: by page and method, in a private and in a public repository."""
    lines = [
        f"| page | {' | '.join(PEOPLE)} |",
        f"| --- |{' --- |' * len(PEOPLE)}",
    ]
    for route, by_method in pages.items():
        for method, (private, public) in by_method.items():
            cells = [_cell(private[each], public[each]) for each in PEOPLE]
            lines.append(f"| {method} `{_shown(route)}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def measured(pages: list[Route]) -> str:
    """Ask for pages in a private and in a public repository; return the table."""
    worlds = [make_world("acme/private", is_public=False), make_world("acme/open", is_public=True)]
    found = {
        route: {
            method: got
            for method in METHODS
            if (got := [answers(world, route, method) for world in worlds])
            and got[0]["operator"] != NO_SUCH_METHOD
        }
        for route in pages
    }
    return table({route: {m: (a, b) for m, (a, b) in by.items()} for route, by in found.items()})


def stored() -> str:
    """Return the table as the documentation has it."""
    return PAGE.read_text().partition(BEGIN)[2].partition(END)[0]


def store(made: str) -> None:
    """Write the table into the documentation."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(before + BEGIN + made + END + rest.partition(END)[2])


def _session(person: str, repository: Any) -> str:
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    from triage.models import Membership

    if person == PEOPLE[0]:
        return ""
    user, _ = User.objects.get_or_create(username=person, is_superuser=person == "operator")
    if person not in {"stranger", "operator"}:
        Membership.objects.create(repository=repository, user=user, role=person)
    client = Client()
    client.force_login(user)
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def _shown(route: Route) -> str:
    without_types = re.sub(r"<\w+:", "<", route.pattern)
    return without_types.replace("<full_name>", "OWNER/NAME").replace("<", "").replace(">", "")


def _cell(private: str, public: str) -> str:
    return private if private == public else f"{private}; public: {public}"


def _main() -> None:
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    from django.db import connection, transaction
    from django.test.utils import setup_test_environment

    from tests.access.test_matrix import pages

    # Hundreds of refusals are what is asked for here.
    logging.disable()
    setup_test_environment()
    connection.creation.create_test_db(verbosity=0)
    with transaction.atomic():
        store(measured(pages()))
        transaction.set_rollback(True)


if __name__ == "__main__":
    _main()
