"""Where the App is installed: told by deliveries, and read from GitHub where some were missed."""

import logging
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from triage.access.audit import GITHUB, note_for
from triage.models import GitHubRepository, Installation, Repository
from triage.publish.app import App
from triage.publish.github.app_api import (
    InstallationRights,
    read_installations,
    read_repositories,
)

logger = logging.getLogger(__name__)


def connect(installation: Installation, repositories: Iterable[Mapping[str, Any]]) -> None:
    """Note that an installation reaches repositories, told by number and name."""
    for told in repositories:
        known = GitHubRepository.objects.filter(github_id=told["id"]).first()
        if known is not None:
            known.installation, known.removed_at = installation, None
            known.save(update_fields=["installation", "removed_at"])
            follow_name(known, told["full_name"])
            continue
        repository, _ = Repository.objects.get_or_create(full_name=told["full_name"])
        # A repository that was deleted and made anew has another number under its old name.
        GitHubRepository.objects.filter(repository=repository).exclude(
            github_id=told["id"]
        ).delete()
        GitHubRepository.objects.create(
            github_id=told["id"], repository=repository, installation=installation
        )


def follow_name(known: GitHubRepository, full_name: str) -> None:
    """Give a repository the name that GitHub has for it; its history stays with its number.

    A name that another repository here bears is left to that one, as two histories are never made
    one: it is told, and followed as soon as the name is free.
    """
    repository = known.repository
    before = repository.full_name
    taken = Repository.objects.filter(full_name=full_name).exclude(pk=repository.pk).exists()
    name_on_forge = full_name if taken else ""
    if name_on_forge != known.name_on_forge:
        known.name_on_forge = name_on_forge
        known.save(update_fields=["name_on_forge"])
        if taken:
            logger.warning("%s is called %s on GitHub, a name that is taken", before, full_name)
            note_for(GITHUB, "repository_name_taken", repository, full_name)
    if not taken and before != full_name:
        repository.full_name = full_name
        repository.save(update_fields=["full_name"])
        note_for(GITHUB, "repository_renamed", repository, full_name, before=before)
        _follow_freed(before)


def _follow_freed(full_name: str) -> None:
    """Give a name that is free now to the repository that bears it on GitHub."""
    waiting = GitHubRepository.objects.select_related("repository").filter(
        name_on_forge=full_name, removed_at__isnull=True
    )
    for known in waiting[:1]:
        follow_name(known, full_name)


def disconnect(installation: Installation, numbers: Iterable[int]) -> None:
    """Note that an installation reaches these no more; another one may have taken them over."""
    GitHubRepository.objects.filter(installation=installation, github_id__in=list(numbers)).update(
        removed_at=timezone.now()
    )


def follow_default_branch(repository: Repository, branch: str | None) -> None:
    """Note which branch GitHub calls the default: its runs are the reference from now on."""
    if branch and branch != repository.default_branch:
        repository.default_branch = branch
        repository.save(update_fields=["default_branch"])


def read_all(app: App) -> int:
    """Read installations and their repositories from GitHub; return how many reach one."""
    told = read_installations(app.key)
    gone = Installation.objects.filter(removed_at__isnull=True)
    gone.exclude(github_id__in=[each.github_id for each in told]).update(removed_at=timezone.now())
    for each in told:
        # A suspended installation gets no token to read with.
        reached = [] if each.is_suspended else read_repositories(app.key, each.github_id)
        _keep(each, reached)
    return len(told)


def _keep(told: InstallationRights, reached: list[dict[str, Any]]) -> None:
    now = timezone.now()
    with transaction.atomic():
        installation, _ = Installation.objects.select_for_update().get_or_create(
            github_id=told.github_id, defaults={"account": told.account}
        )
        installation.account, installation.removed_at = told.account, None
        installation.told_at = datetime.fromisoformat(told.updated_at)
        installation.suspended_at = (
            (installation.suspended_at or now) if told.is_suspended else None
        )
        installation.save()
        connect(installation, reached)
        if not told.is_suspended:
            numbers = {each["id"] for each in reached}
            known = set(installation.repositories.values_list("github_id", flat=True))
            disconnect(installation, known - numbers)
