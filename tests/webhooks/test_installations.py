"""Installations and repositories follow what GitHub tells, in whatever order it comes."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from triage.models import GitHubRepository, Installation, Repository
from triage.webhooks.handlers import HANDLERS

pytestmark = pytest.mark.django_db

PAYLOADS = Path(__file__).parents[1] / "data" / "github" / "payloads"
EARLY, LATE = "2026-10-01T09:00:00Z", "2026-10-01T10:00:00Z"
REPO = {"id": 5, "full_name": "acme/support-bot"}


def tell(event: str, action: str, number: int = 1, updated_at: str = EARLY, **told: Any) -> None:
    """Let a delivery be processed."""
    account = {"login": "acme"}
    installation = {"id": number, "account": account, "updated_at": updated_at}
    HANDLERS[event](action, {"installation": installation, **told})


def test_an_older_suspension_does_not_undo_a_newer_release() -> None:
    tell("installation", "created")
    tell("installation", "unsuspend", updated_at=LATE)
    tell("installation", "suspend", updated_at=EARLY)

    assert Installation.objects.get().is_active


def test_a_suspension_holds_until_it_is_lifted() -> None:
    tell("installation", "created")
    tell("installation", "suspend", updated_at=LATE)
    assert not Installation.objects.get().is_active
    tell("installation", "unsuspend", updated_at="2026-10-01T11:00:00Z")

    assert Installation.objects.get().is_active


def test_an_installation_that_was_deleted_never_comes_back() -> None:
    tell("installation", "deleted")
    tell("installation", "created", updated_at=LATE)

    assert Installation.objects.get().removed_at is not None


def test_a_repository_that_another_installation_took_over_is_not_lost() -> None:
    tell("installation", "created", number=1, repositories=[REPO])
    tell("installation_repositories", "added", number=2, repositories_added=[REPO])
    tell("installation_repositories", "removed", number=1, repositories_removed=[REPO])

    known = GitHubRepository.objects.get()
    assert (known.installation.github_id, known.removed_at) == (2, None)


def test_a_renamed_account_renames_its_repositories_and_no_others() -> None:
    tell("installation", "created", repositories=[REPO, {"id": 6, "full_name": "other/tool"}])
    changes = {"login": {"from": "acme"}}
    tell("installation_target", "renamed", account={"login": "acme-inc"}, changes=changes)

    names = set(Repository.objects.values_list("full_name", flat=True))
    assert names == {"acme-inc/support-bot", "other/tool"}
    assert Installation.objects.get().account == "acme-inc"


def test_a_changed_default_branch_is_followed() -> None:
    tell("installation", "created", repositories=[REPO])
    repository = REPO | {"default_branch": "trunk"}
    changes = {"default_branch": {"from": "main"}}
    HANDLERS["repository"]("edited", {"repository": repository, "changes": changes})

    assert Repository.objects.get().default_branch == "trunk"


@pytest.mark.parametrize("file", sorted(PAYLOADS.glob("installation*.json")), ids=lambda f: f.stem)
def test_every_sample_of_github_is_processed(file: Path) -> None:
    event, action, *_ = file.name.split(".")
    before = timezone.now()

    HANDLERS[event](action, json.loads(file.read_text()))

    assert Installation.objects.get().created_at >= before
