"""Every address for programs with the credentials of others: no row is shown, none is told of."""

import io
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from tests.access.test_matrix import filled, programs
from tests.flows.knocks import Knock, Target, existing, fill, missing, of_api, of_doors
from tests.flows.suites import REPO
from tests.servers.issuer import Issuer, issuing
from triage.models import Token
from triage.upload.acceptance import find_or_add_repository
from triage.upload.issuers import GITHUB
from triage.upload.token_changes import revoke_token, rotate_token
from triage.upload.tokens import SCOPES, create_token

pytestmark = pytest.mark.django_db(transaction=True)

OTHER = "acme/other"
NUMBER_OF_OTHER = "713"
SECRETS = ("test_ticket", "fraud", "billing")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
NO_SUCH_METHOD = 405
# They know no token: GitHub signs its deliveries, we sign where files are brought to, and the rest
# is the same for everybody.
WITHOUT_TOKEN = {
    "webhooks/github/": {"POST"},
    r"^upload/test_results/v1/files/(?P<signed>[\w:.-]+)/?$": {"PUT"},
    "api/v1/openapi.json": set(METHODS),
    "api/v1/policy.schema.json": {"GET"},
    # Whatever is not there, as the API says it.
    "api/v1/<path:path>": set(METHODS),
    "api/v1/": set(METHODS),
}


@pytest.fixture
def issuer(settings: Any) -> Iterator[Issuer]:
    """Return an issuer of the identities that the other repository's workflows have."""
    with issuing() as made:
        settings.GITHUB_ID_TOKEN_ISSUERS = [made.url, GITHUB]
        find_or_add_repository(OTHER)
        call_command("workflows", OTHER, "allow", NUMBER_OF_OTHER, stdout=io.StringIO())
        yield made


def credentials(issuer: Issuer) -> dict[str, str]:
    """Return what others have, and what no longer holds."""
    ours, other = find_or_add_repository(REPO), find_or_add_repository(OTHER)
    made = {
        "none": "",
        "of another repository": create_token(other, "theirs", SCOPES),
        "revoked": create_token(ours, "revoked", SCOPES),
        "rotated out": create_token(ours, "rotated", SCOPES),
        "expired": create_token(
            ours, "expired", SCOPES, expires_at=timezone.now() + timedelta(days=1)
        ),
        "workflow of another repository": issuer.token(
            repository=OTHER, repository_id=NUMBER_OF_OTHER, sub=f"repo:{OTHER}:ref:refs/heads/main"
        ),
    }
    revoke_token(Token.objects.get(name="revoked"))
    rotate_token(Token.objects.get(name="rotated"), timedelta(0))
    past = timezone.now() - timedelta(seconds=1)
    Token.objects.filter(name="expired").update(expires_at=past)
    return made


def knocks(target: Target) -> list[Knock]:
    """Return a request to every address that takes a credential."""
    return [*of_api(target), *of_doors(target)]


def test_every_method_of_every_address_for_programs_is_knocked_at() -> None:
    fill()
    known = {(each.method.upper(), resolve(each.path).route) for each in knocks(existing())}
    unknown = []

    for route in programs():
        path = filled(route)
        pattern = resolve(path).route
        for method in METHODS:
            answer = Client().generic(method, path)
            # What Datadog's uploader reads has no status for it.
            is_refused = f", got {method}".encode() in answer.content
            is_known = (method, pattern) in known or method in WITHOUT_TOKEN.get(pattern, ())
            if answer.status_code != NO_SUCH_METHOD and not is_refused and not is_known:
                unknown.append(f"{method} {pattern}")

    assert "\n".join(unknown) == "", "add the request to tests/flows/knocks.py"


def test_nobody_of_another_repository_is_told_what_is_here(issuer: Issuer, settings: Any) -> None:
    settings.RATE_LIMIT_PER_MINUTE = 0
    fill()
    here, nowhere = existing(), missing()
    wrong = []

    for who, credential in credentials(issuer).items():
        for there, not_there in zip(knocks(here), knocks(nowhere), strict=True):
            answer, other = there.send(credential), not_there.send(credential)
            told = here.neutral(answer.content.decode())
            if any(secret in told for secret in SECRETS):
                wrong.append(f"{who} is shown a row at {there.method} {there.path}: {told}")
            expected = nowhere.neutral(other.content.decode())
            if (answer.status_code, told) != (other.status_code, expected):
                wrong.append(f"{who} is told of a row at {there.method} {there.path}: {told}")

    assert wrong == []
