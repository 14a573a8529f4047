"""Tokens: which secret is let in, and for how long."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from triage.errors import InvalidRequestError, NotFoundError, UnauthorizedError
from triage.models import Repository, Token
from triage.upload.acceptance import find_or_add_repository
from triage.upload.token_changes import find_token, revoke_token, rotate_token
from triage.upload.tokens import authenticate, create_token

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def repository() -> Repository:
    """Return a repository without tokens."""
    return find_or_add_repository("acme/support-bot")


def made(repository: Repository, name: str = "ci") -> tuple[Token, str]:
    """Make a token; return it with its secret."""
    secret = create_token(repository, name)
    return Token.objects.latest("pk"), secret


def test_only_the_digest_of_a_secret_is_stored(repository: Repository) -> None:
    _, secret = made(repository)

    assert secret.removeprefix("tbk_") not in str(Token.objects.values().get())


def test_both_secrets_work_until_the_grace_time_is_over(repository: Repository) -> None:
    token, old = made(repository)
    new = rotate_token(token, DAY)

    assert {authenticate(old).pk, authenticate(new).pk} == {token.pk}
    with time_machine.travel(timezone.now() + DAY + timedelta(seconds=1)):
        assert authenticate(new).pk == token.pk
        with pytest.raises(UnauthorizedError, match="'ci' was replaced by a new one and worked"):
            authenticate(old)


def test_without_a_grace_time_the_old_secret_ends_at_once(repository: Repository) -> None:
    token, old = made(repository)
    rotate_token(token, timedelta(0))

    with pytest.raises(UnauthorizedError, match="was replaced"):
        authenticate(old)


def test_the_secret_before_the_last_but_one_ends_with_the_next_rotation(
    repository: Repository,
) -> None:
    token, first = made(repository)
    second = rotate_token(token, DAY)
    third = rotate_token(token, DAY)

    assert authenticate(second).pk == authenticate(third).pk == token.pk
    with pytest.raises(UnauthorizedError, match="is not known here"):
        authenticate(first)


def test_use_of_the_old_secret_is_told_from_that_of_the_new_one(repository: Repository) -> None:
    token, old = made(repository)
    new = rotate_token(token, DAY)

    authenticate(old)
    token.refresh_from_db()
    assert (token.last_used_at, token.previous_used_at is not None) == (None, True)
    authenticate(new)
    token.refresh_from_db()
    assert token.last_used_at is not None


def test_revoking_ends_every_secret_at_once_and_once_only(repository: Repository) -> None:
    token, old = made(repository)
    new = rotate_token(token, DAY)

    assert (revoke_token(token), revoke_token(token)) == (True, False)
    for secret in (old, new):
        with pytest.raises(UnauthorizedError, match="'ci' was revoked on"):
            authenticate(secret)
    with pytest.raises(UnauthorizedError, match="was revoked"):
        rotate_token(token, DAY)


def test_an_expired_token_gets_no_new_secret(repository: Repository) -> None:
    token, _ = made(repository)
    Token.objects.update(expires_at=timezone.now() - DAY)

    with pytest.raises(UnauthorizedError, match="the token expired on"):
        rotate_token(token, DAY)


@pytest.mark.parametrize("grace", [timedelta(seconds=-1), timedelta(days=31)])
def test_a_grace_time_has_bounds(repository: Repository, grace: timedelta) -> None:
    token, old = made(repository)

    with pytest.raises(InvalidRequestError, match="0 to 30 more days"):
        rotate_token(token, grace)
    assert authenticate(old).pk == token.pk


def test_a_token_is_found_by_its_number_or_by_a_name_that_is_its_own(
    repository: Repository,
) -> None:
    token, _ = made(repository)
    twin, _ = made(repository, "twin")
    made(repository, "twin")
    theirs, _ = made(find_or_add_repository("acme/other"))

    assert find_token(repository, str(token.pk)) == find_token(repository, "ci") == token
    with pytest.raises(InvalidRequestError, match=f"give a number: {twin.pk}"):
        find_token(repository, "twin")
    for told in ("nope", str(theirs.pk), "9" * 30):
        with pytest.raises(NotFoundError, match="known: ci, twin"):
            find_token(repository, told)


@pytest.mark.parametrize("scopes", [[], ["upload", "delete"]])
def test_scopes_are_those_that_there_are(repository: Repository, scopes: list[str]) -> None:
    with pytest.raises(InvalidRequestError, match="some of upload, read, decide"):
        create_token(repository, "ci", scopes)
    with pytest.raises(InvalidRequestError, match="must end in the future"):
        create_token(repository, "ci", expires_at=timezone.now() - DAY)
    assert not Token.objects.exists()
