"""Installations and repositories follow what GitHub tells, in whatever order it comes."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from triage.models import AuditEntry, GitHubRepository, Installation, Repository
from triage.publish.installations import connect
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


def rename(number: int, full_name: str) -> None:
    """Let GitHub tell that a repository has another name."""
    HANDLERS["repository"]("renamed", {"repository": {"id": number, "full_name": full_name}})


def names() -> dict[int, tuple[str, str]]:
    """Return what each repository is called here, and on GitHub where that is something else."""
    known = GitHubRepository.objects.select_related("repository")
    return {each.github_id: (each.repository.full_name, each.name_on_forge) for each in known}


def test_a_name_that_another_repository_has_is_told_and_nothing_is_merged(
    admin_client: Client,
) -> None:
    tell("installation", "created", repositories=[REPO])
    other = Repository.objects.create(full_name="acme/helper")
    rename(5, "acme/helper")

    assert names() == {5: ("acme/support-bot", "acme/helper")}
    assert Repository.objects.count() == 2
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.subject) == ("repository_name_taken", "acme/helper")
    for page in ("repository", "publishing"):
        shown = admin_client.get(reverse(page, args=["acme/support-bot"])).content.decode()
        assert "GitHub calls this repository <bdi>acme/helper</bdi>" in shown
        shown = admin_client.get(reverse(page, args=["acme/helper"])).content.decode()
        assert "GitHub calls" not in shown

    other.delete()
    connect(Installation.objects.get(), [REPO | {"full_name": "acme/helper"}])
    assert names() == {5: ("acme/helper", "")}


def test_names_that_were_told_in_the_wrong_order_end_up_right() -> None:
    tell("installation", "created", repositories=[REPO, {"id": 6, "full_name": "acme/helper"}])
    rename(5, "acme/helper")
    assert names() == {5: ("acme/support-bot", "acme/helper"), 6: ("acme/helper", "")}
    rename(6, "acme/old-helper")

    assert names() == {5: ("acme/helper", ""), 6: ("acme/old-helper", "")}


def test_a_new_name_that_was_never_told_is_found_by_number_when_all_is_read_anew() -> None:
    tell("installation", "created", repositories=[REPO])
    before = Repository.objects.get().pk
    connect(Installation.objects.get(), [REPO | {"full_name": "acme/helper"}])

    renamed = Repository.objects.get()
    assert (renamed.pk, renamed.full_name) == (before, "acme/helper")


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
