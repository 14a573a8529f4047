"""Which GitHub account belongs to whom: tied by its number, never by its name or e-mail address."""

from dataclasses import dataclass
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from triage.errors import InvalidRequestError
from triage.models import Invitation


@dataclass(frozen=True, slots=True)
class GitHubPerson:
    """An account as GitHub tells of it; numbers are those of one GitHub, named by its address."""

    site: str
    number: str
    login: str


def person_of(user: User) -> GitHubPerson | None:
    """Return the GitHub account of a person here; ``None`` without one."""
    tie = SocialAccount.objects.filter(user_id=user.pk).first()
    return _person(tie) if tie else None


def user_of(person: GitHubPerson) -> User | None:
    """Return whom a GitHub account belongs to here, and take its present name over."""
    tie = _ties(person).select_related("user").first()
    if tie is None:
        return None
    if tie.extra_data != _told(person):
        tie.extra_data = _told(person)
        tie.save(update_fields=["extra_data"])
    user: User = tie.user
    return user


def make_account(person: GitHubPerson) -> User:
    """Make the account of a GitHub account that has none here; it has no password."""
    try:
        with transaction.atomic():
            user = User.objects.create_user(_free_name(person))
            connect(user, person)
    except (IntegrityError, InvalidRequestError):
        # The same person came in twice at once.
        made = user_of(person)
        if made is None:
            raise
        return made
    return user


def connect(user: User, person: GitHubPerson) -> None:
    """Tie a GitHub account to a person; raise ``InvalidRequestError`` where either has another."""
    own = person_of(user)
    if own is not None and (own.site, own.number) == (person.site, person.number):
        return
    if own is not None:
        raise InvalidRequestError(
            f"your account is connected with {own.login} on {own.site}; disconnect it first"
        )
    try:
        with transaction.atomic():
            SocialAccount.objects.create(
                user=user, provider=person.site, uid=person.number, extra_data=_told(person)
            )
    except IntegrityError:
        raise InvalidRequestError(
            f"the GitHub account {person.login} is connected with another account here"
        ) from None


def disconnect(user: User) -> GitHubPerson | None:
    """Untie a person's GitHub account and return it; ``None`` where there is none.

    Raises ``InvalidRequestError`` for who could not sign in any more.
    """
    person = person_of(user)
    if person is None:
        return None
    if not user.has_usable_password():
        raise InvalidRequestError(
            "your account has no password, so that you could not sign in without GitHub"
        )
    _ties(person).filter(user_id=user.pk).delete()
    return person


def _free_name(person: GitHubPerson) -> str:
    """Return the name on GitHub, where nobody here has it or was promised it."""
    is_taken = (
        User.objects.filter(username__iexact=person.login).exists()
        or Invitation.objects.filter(name__iexact=person.login, used_at__isnull=True).exists()
    )
    # No name on GitHub holds a plus, so that nobody there can take this one in advance.
    return f"{person.login}+{person.number}" if is_taken else person.login


def _ties(person: GitHubPerson) -> Any:
    return SocialAccount.objects.filter(provider=person.site, uid=person.number)


def _told(person: GitHubPerson) -> dict[str, str]:
    return {"login": person.login}


def _person(tie: Any) -> GitHubPerson:
    return GitHubPerson(tie.provider, tie.uid, tie.extra_data.get("login", ""))
