"""Where the App is installed: told by deliveries, and read from GitHub where some were missed."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from triage.models import GitHubRepository, Installation, Repository
from triage.publish.app import App
from triage.publish.github.app_api import (
    InstallationRights,
    read_installations,
    read_repositories,
)


def connect(installation: Installation, repositories: Iterable[Mapping[str, Any]]) -> None:
    """Note that an installation reaches repositories, told by number and name."""
    for told in repositories:
        repository, _ = Repository.objects.get_or_create(full_name=told["full_name"])
        # A repository that was deleted and made anew has another number under its old name.
        GitHubRepository.objects.filter(repository=repository).exclude(
            github_id=told["id"]
        ).delete()
        GitHubRepository.objects.update_or_create(
            github_id=told["id"],
            defaults={
                "repository": repository,
                "installation": installation,
                "removed_at": None,
            },
        )


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
