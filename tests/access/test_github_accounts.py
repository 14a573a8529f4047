"""GitHub accounts: one person each, whatever comes in at once or is tied already."""

import pytest
from django.contrib.auth.models import User

from triage.access.github_accounts import GitHubPerson, connect, make_account, person_of, user_of
from triage.errors import InvalidRequestError

pytestmark = pytest.mark.django_db
OCTO = GitHubPerson("https://github.com", "583231", "octo")


def test_who_comes_in_twice_at_once_gets_one_account() -> None:
    made = [make_account(OCTO) for _ in range(2)]

    assert made[0] == made[1] == User.objects.get()
    assert user_of(OCTO) == made[0]


def test_connecting_again_changes_nothing_and_another_one_is_refused() -> None:
    ada = User.objects.create_user("ada")
    connect(ada, OCTO)
    connect(ada, OCTO)

    with pytest.raises(InvalidRequestError, match=r"connected with octo on https://github\.com"):
        connect(ada, GitHubPerson(OCTO.site, "1", "hubot"))
    assert person_of(ada) == OCTO


def test_a_name_that_is_taken_twice_over_is_still_found_one() -> None:
    User.objects.create_user("OCTO")
    User.objects.create_user("octo-583231")

    assert make_account(OCTO).username == "octo+583231"
