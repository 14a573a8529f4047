from datetime import timedelta

import pytest
from django.utils import timezone

from tests.policy.documents import DESIGNED
from triage.models import Repository, StoredPolicy
from triage.policy.document import DEFAULT_POLICY
from triage.policy.stored import Origin, last_refusal, policy_in_force, take_policy
from triage.terms import PolicySource

pytestmark = pytest.mark.django_db

GOOD = DESIGNED.encode()
OTHER = b"version: 1\nowners: {default: '@acme/ops'}\n"
BAD = b"version: 1\nbudget: []\n"
COMMAND = Origin(PolicySource.COMMAND)


@pytest.fixture
def repository() -> Repository:
    """Return an empty repository."""
    return Repository.objects.create(full_name="acme/support-bot")


def test_a_repository_without_a_policy_has_the_defaults(repository: Repository) -> None:
    in_force = policy_in_force(repository.pk)
    assert (in_force.policy, in_force.sha256, in_force.stored_at) == (DEFAULT_POLICY, "", None)
    assert last_refusal(repository.pk) is None


def test_the_newest_good_policy_is_in_force(repository: Repository) -> None:
    take_policy(repository, GOOD, COMMAND)
    take_policy(repository, OTHER, COMMAND)
    in_force = policy_in_force(repository.pk)
    assert in_force.policy.owners.default == "@acme/ops"
    assert in_force.sha256 == StoredPolicy.objects.latest("at").sha256


def test_a_bad_policy_never_replaces_the_last_good_one(repository: Repository) -> None:
    take_policy(repository, GOOD, COMMAND)
    reading = take_policy(repository, BAD, Origin(PolicySource.UPLOAD, "ab" * 20, "main"))

    assert reading.policy is None
    assert policy_in_force(repository.pk).text == DESIGNED
    refused = last_refusal(repository.pk)
    assert refused is not None
    assert (refused.commit_sha, refused.branch) == ("ab" * 20, "main")
    assert (refused.errors[0]["line"], refused.errors[0]["path"]) == (2, "budget")


def test_a_refusal_is_over_once_a_good_policy_comes(repository: Repository) -> None:
    for body in (GOOD, BAD, GOOD):
        take_policy(repository, body, COMMAND)
    assert last_refusal(repository.pk) is None
    assert policy_in_force(repository.pk).text == DESIGNED


def test_a_policy_that_says_the_same_is_stored_once(repository: Repository) -> None:
    for _ in range(3):
        take_policy(repository, GOOD, COMMAND)
    for _ in range(3):
        take_policy(repository, BAD, COMMAND)
    assert StoredPolicy.objects.count() == 2


def test_a_replayed_past_does_not_bring_back_an_old_policy(repository: Repository) -> None:
    take_policy(repository, OTHER, COMMAND)
    past = timezone.now() - timedelta(days=3)
    take_policy(repository, GOOD, Origin(PolicySource.UPLOAD, at=past))
    assert policy_in_force(repository.pk).policy.owners.default == "@acme/ops"


def test_a_policy_is_of_one_repository(repository: Repository) -> None:
    other = Repository.objects.create(full_name="acme/other")
    take_policy(repository, OTHER, COMMAND)
    take_policy(other, BAD, COMMAND)
    assert policy_in_force(other.pk).policy == DEFAULT_POLICY
    assert last_refusal(repository.pk) is None


def test_a_file_that_is_no_text_is_kept_as_refused(repository: Repository) -> None:
    take_policy(repository, b"version: \xff\0", COMMAND)
    refused = last_refusal(repository.pk)
    assert refused is not None
    assert "no UTF-8" in refused.errors[0]["message"]
