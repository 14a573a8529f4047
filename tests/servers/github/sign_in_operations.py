"""What the fake GitHub does for people: consent, tokens for codes, what a person reaches."""

import base64
import hashlib
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from tests.servers.github.app_operations import installation
from tests.servers.github.operations import Answer, Request
from tests.servers.github.world import CLIENT_ID, CLIENT_SECRET, INSTALLATION, RefusalError, World

CODE_S = 600
FORM = "application/x-www-form-urlencoded; charset=utf-8"
# What a level is worth in the listing of a person's repositories, which names all five.
NAMES = ("pull", "triage", "push", "maintain", "admin")
HIGHEST = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}


@dataclass(frozen=True)
class Consent:
    """What a person agreed to; good for one token."""

    login: str
    redirect_uri: str
    challenge: str
    at: float


def authorize(world: World, query: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return where the browser is led, as after the person's answer, and what was wrong."""
    wrong = [
        f"authorize {name}: {query.get(name)!r}"
        for name, is_right in (
            ("client_id", query.get("client_id") == CLIENT_ID),
            ("redirect_uri", query.get("redirect_uri") in world.callback_urls),
            ("state", bool(query.get("state"))),
            ("code_challenge", len(query.get("code_challenge", "")) == 43),
            ("code_challenge_method", query.get("code_challenge_method") == "S256"),
        )
        if not is_right
    ]
    if wrong:
        return f"{world.callback_urls[0]}?{urlencode({'error': 'redirect_uri_mismatch'})}", wrong
    told = {"state": query["state"]}
    if world.at_browser is None:
        told |= {"error": "access_denied"}
    else:
        code = secrets.token_hex(10)
        world.consents[code] = Consent(
            world.at_browser, query["redirect_uri"], query["code_challenge"], time.time()
        )
        told |= {"code": code}
    return f"{query['redirect_uri']}?{urlencode(told)}", []


def access_token(world: World, raw: bytes) -> str:
    """Return a token for a code, once, or why not; GitHub answers 200 either way."""
    told = dict(parse_qsl(raw.decode()))
    if (told.get("client_id"), told.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
        return urlencode({"error": "incorrect_client_credentials"})
    consent = world.consents.pop(told.get("code", ""), None)
    if consent is None or time.time() - consent.at > CODE_S:
        return urlencode({"error": "bad_verification_code"})
    digest = hashlib.sha256(told.get("code_verifier", "").encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    if (challenge, told.get("redirect_uri")) != (consent.challenge, consent.redirect_uri):
        return urlencode({"error": "redirect_uri_mismatch"})
    token = "ghu_" + secrets.token_urlsafe(27)
    until = time.time() + 8 * 3_600
    world.tokens[token] = {
        "login": consent.login, "repositories": set(), "permissions": {}, "until": until,
    }  # fmt: skip
    return urlencode({"access_token": token, "scope": "", "token_type": "bearer"})


def list_own_installations(request: Request) -> Answer:
    """Return the installations of the App that a person can reach something of."""
    login, world = _person(request), request.world
    reached = [each for each in world.repositories.values() if each.people.get(login)]
    found = [installation(world)] if reached else []
    return 200, {"total_count": len(found), "installations": request.page(found)}


def list_own_repositories(request: Request) -> Answer:
    """Return the repositories of an installation that a person can reach, and what they may do."""
    login, world = _person(request), request.world
    if int(request.parameters["installation_id"]) != INSTALLATION:
        raise RefusalError(404, "Not Found")
    found = [
        each for each in world.repositories.values() if HIGHEST[each.people.get(login, "none")]
    ]
    shown = [
        world.repository(each) | {"permissions": _permissions(each.people[login])}
        for each in request.page(found)
    ]
    return 200, {"total_count": len(found), "repositories": shown}


OPERATIONS: dict[str, Callable[[Request], Answer]] = {
    "apps/list-installations-for-authenticated-user": list_own_installations,
    "apps/list-installation-repos-for-authenticated-user": list_own_repositories,
}


def _person(request: Request) -> str:
    known: dict[str, Any] = request.world.tokens.get(request.token, {})
    if "login" not in known or known["until"] < time.time():
        raise RefusalError(401, "Bad credentials")
    return str(known["login"])


def _permissions(level: str) -> dict[str, bool]:
    return {name: place < HIGHEST[level] for place, name in enumerate(NAMES)}
