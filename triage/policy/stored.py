"""Which policy is in force for a repository, and what becomes of one that comes in."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from triage.models import Repository, StoredPolicy
from triage.policy.document import DEFAULT_POLICY, Policy
from triage.policy.reading import PolicyReading, decode, read_policy
from triage.terms import PolicySource, PolicyState

NO_SHA256 = ""


@dataclass(frozen=True, slots=True)
class PolicyInForce:
    """The policy that judges. Without one of its own a repository has the defaults.

    ``sha256`` is empty and ``stored_at`` is ``None`` where the defaults hold.
    """

    policy: Policy
    sha256: str
    stored_at: datetime | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a policy comes from; commit and branch are empty for one set by a command."""

    source: PolicySource
    commit_sha: str = ""
    branch: str = ""
    at: datetime | None = None


def policy_in_force(repository_id: int) -> PolicyInForce:
    """Return the last good policy of a repository, or the defaults; one query."""
    for stored in _newest_first(repository_id).filter(state=PolicyState.ACCEPTED)[:1]:
        policy = read_policy(stored.text).policy
        if policy:
            return PolicyInForce(policy, stored.sha256, stored.at, stored.text)
    return PolicyInForce(DEFAULT_POLICY, NO_SHA256, None)


def last_refusal(repository_id: int) -> StoredPolicy | None:
    """Return the newest policy if it was refused, so that an older one is still in force."""
    newest = _newest_first(repository_id).first()
    return newest if newest and newest.state == PolicyState.REFUSED else None


def take_policy(repository: Repository, body: bytes, origin: Origin) -> PolicyReading:
    """Store a policy and return what was read; one with errors never replaces a good one.

    A policy that says the same as the one before it changes nothing.
    """
    text, refusal = decode(body)
    reading = refusal or read_policy(text)
    at = origin.at or timezone.now()
    digest = hashlib.sha256(body).hexdigest()
    with transaction.atomic():
        Repository.objects.select_for_update().get(pk=repository.pk)
        before = _newest_first(repository.pk).filter(at__lte=at).first()
        if before is None or before.sha256 != digest:
            _store(repository, text, digest, reading, origin, at)
    return reading


def _newest_first(repository_id: int) -> QuerySet[StoredPolicy]:
    return StoredPolicy.objects.filter(repository_id=repository_id).order_by("-at", "-pk")


def _store(
    repository: Repository,
    text: str,
    digest: str,
    reading: PolicyReading,
    origin: Origin,
    at: datetime,
) -> None:
    StoredPolicy.objects.create(
        repository=repository,
        text=text,
        sha256=digest,
        source=origin.source,
        state=PolicyState.ACCEPTED if reading.policy else PolicyState.REFUSED,
        errors=[error.as_json() for error in reading.errors],
        commit_sha=origin.commit_sha,
        branch=origin.branch,
        at=at,
    )
