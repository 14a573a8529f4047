"""Tokens on the command line."""

import io

import pytest
from django.core.management import CommandError, call_command

from triage.models import AuditEntry, Token
from triage.upload.tokens import authenticate

pytestmark = pytest.mark.django_db

REPO = "acme/support-bot"


def make(*arguments: str) -> str:
    """Make a token; return its secret."""
    out = io.StringIO()
    call_command("create_token", REPO, *arguments, stdout=out)
    return out.getvalue().strip()


def token(*arguments: str) -> str:
    """Run the command for the repository; return what it printed."""
    out = io.StringIO()
    call_command("token", REPO, *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_tokens_are_made_listed_rotated_and_revoked_and_every_change_is_logged() -> None:
    first = make("--name", "nightly", "--scope", "read", "--days", "30")
    made = Token.objects.get()

    assert token("list").startswith(f"{made.pk}  nightly: read; never used; expires 20")
    second = token("rotate", "nightly", "--grace-hours", "2").strip()
    assert authenticate(first) == authenticate(second) == made
    assert "; the old secret works until 20" in token("list")
    assert token("revoke", str(made.pk)) == "revoked nightly\n"
    assert token("revoke", str(made.pk)) == "nightly was revoked before\n"
    assert "; revoked 20" in token("list")
    log = AuditEntry.objects.order_by("pk").values_list("who", "action", "subject", "detail")
    assert list(log) == [
        ("the command line", "token_made", "nightly", {"scopes": ["read"]}),
        ("the command line", "token_rotated", "nightly", {"grace_hours": 2}),
        ("the command line", "token_revoked", "nightly", {}),
    ]


def test_a_repository_without_tokens_says_so() -> None:
    make()
    Token.objects.all().delete()

    assert token("list") == f"{REPO} has no token yet\n"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["rotate", "nope"], "has no token 'nope' in force; known: ci"),
        (["revoke", "77777"], "has no token '77777' in force; known: ci"),
        (["rotate", "ci", "--grace-hours", "1.5"], "must be whole hours, got '1.5'"),
        (["rotate", "ci", "--grace-hours", "721"], "may work for 0 to 30 more days"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(arguments: list[str], problem: str) -> None:
    secret = make()

    with pytest.raises(CommandError, match=problem.replace("(", r"\(")) as caught:
        token(*arguments)
    assert caught.value.returncode in {1, 2}
    assert authenticate(secret).name == "ci"


@pytest.mark.parametrize("days", ["0", "-1", "3651"])
def test_a_token_ends_within_ten_years_or_never(days: str) -> None:
    with pytest.raises(CommandError, match="days must lie in 1 to 3650"):
        make("--days", days)
    assert not Token.objects.exists()
