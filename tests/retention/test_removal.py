"""A deleted repository leaves no row and no file, and takes nothing of another one along."""

from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db.models import Model
from django.utils import timezone

from tests.flows.policies import set_policy
from tests.flows.suites import FLIP, START, WORDING, CaseRun, suite, take
from triage.models import (
    AuditEntry,
    CalibrationReport,
    Case,
    CaseRename,
    Channel,
    Decision,
    Delivery,
    Escalation,
    ForgeRole,
    ForgeSettings,
    GitHubRepository,
    Installation,
    Invitation,
    Membership,
    Mute,
    Notification,
    Publication,
    PullRequest,
    Repository,
    RepositoryFiles,
    RequestedAction,
    RequestRate,
    Result,
    SuiteState,
    Token,
    Verdict,
    WebhookDelivery,
    WorkflowIdentity,
)
from triage.retention.files import stored_files
from triage.retention.removal import owned_models

pytestmark = pytest.mark.django_db
GONE, KEPT = "acme/gone", "acme/kept"


@pytest.fixture(autouse=True)
def own_files(tmp_path: Path, settings: Any) -> None:
    """Keep raw files where no other test keeps any."""
    uploads = settings.STORAGES["uploads"] | {"OPTIONS": {"location": tmp_path}}
    settings.STORAGES = settings.STORAGES | {"uploads": uploads}


def fill(name: str, number: int) -> None:
    """Fill every table for a repository: what can be by reports, the rest by rows."""
    set_policy("gate:\n  undecided: hold\n", name)
    for run in range(1, 4):
        take(suite(3), run, repo=name)
    changed = [CaseRun("test_ticket[1]", WORDING), CaseRun("test_ticket[2]", FLIP, "billing")]
    take(suite(3, *changed), 4, repo=name, branch="topic", pr=7)
    repository = Repository.objects.get(full_name=name)
    fill_questions(repository)
    fill_messages(repository)
    fill_people(repository, number)


def fill_questions(repository: Repository) -> None:
    """Add what people are asked, decide and mute."""
    result = Result.objects.filter(repository=repository, difference="label").first()
    assert result is not None
    asked, _ = Escalation.objects.get_or_create(
        repository=repository,
        case=result.case,
        epoch=result.epoch,
        first_label="billing",
        second_label="fraud",
        defaults={"opened_at": START},
    )
    Decision.objects.create(
        repository=repository, escalation=asked, kind="uphold", who="ada", why="It is fraud."
    )
    until = timezone.now() + timedelta(days=3)
    Mute.objects.create(
        repository=repository, case=result.case, owner="ada", reason="known", until=until
    )
    first, second = Case.objects.filter(repository=repository)[:2]
    CaseRename.objects.create(repository=repository, old=first, new=second)
    CalibrationReport.objects.create(repository=repository, asked_by="ada")
    SuiteState.objects.get_or_create(repository=repository)


def fill_messages(repository: Repository) -> None:
    """Add what is sent and published."""
    channel = Channel.objects.create(repository=repository, name="ops", kind="email")
    delivery = Delivery.objects.create(repository=repository, channel=channel, due_at=START)
    Notification.objects.create(
        repository=repository,
        channel=channel,
        delivery=delivery,
        event="run_blocked",
        key="1",
        payload={},
    )
    verdict = Verdict.objects.filter(repository=repository).first()
    Publication.objects.create(repository=repository, kind="check", subject="abc", wanted=verdict)
    assert verdict is not None
    RequestedAction.objects.create(
        repository=repository, run=verdict.run, kind="escalate", who="octo"
    )
    WebhookDelivery.objects.create(
        delivery_id=repository.full_name,
        event="push",
        body={"repository": {"full_name": repository.full_name}},
    )


def fill_people(repository: Repository, number: int) -> None:
    """Add who may do what, and what a forge knows."""
    user, _ = User.objects.get_or_create(username="ada")
    Membership.objects.create(repository=repository, user=user, role="admin")
    ForgeRole.objects.create(repository=repository, user=user, role="admin")
    Token.objects.create(repository=repository, name="ci", digest=f"t{number}")
    RequestRate.objects.create(repository=repository, caller="token 1")
    WorkflowIdentity.objects.create(
        repository=repository,
        issuer="https://token.actions.githubusercontent.com",
        github_id=repository.pk,
        added_by="ada",
    )
    Invitation.objects.create(
        repository=repository, digest=f"i{number}", name="bob", invited_by="ada", expires_at=START
    )
    AuditEntry.objects.create(repository=repository, who="ada", action="invite")
    installation, _ = Installation.objects.get_or_create(github_id=1, account="acme")
    GitHubRepository.objects.create(
        repository=repository, installation=installation, github_id=number
    )
    ForgeSettings.objects.create(repository=repository, kind="none", changed_by="ada")
    RepositoryFiles.objects.create(repository=repository)
    PullRequest.objects.create(repository=repository, number=7, head_sha="a", updated_at=START)


def rows_of(name: str) -> dict[type[Model], set[Any]]:
    """Return the keys of a repository's rows by table."""
    return {
        model: set(
            model._default_manager.filter(repository__full_name=name).values_list("pk", flat=True)
        )
        for model in owned_models()
    }


def test_every_row_and_file_of_it_goes_and_none_of_another_one() -> None:
    fill(GONE, 1)
    fill(KEPT, 2)
    kept, files = rows_of(KEPT), list(stored_files(KEPT))
    gone = rows_of(GONE)
    empty = [model.__name__ for model in owned_models() if not kept[model] or not gone[model]]
    assert empty == [], "this test must fill every table that belongs to a repository"
    assert list(stored_files(GONE))

    out = StringIO()
    call_command("delete_repository", GONE, "--yes", stdout=out)

    assert rows_of(KEPT) == kept
    assert list(stored_files(KEPT)) == files
    for model, keys in gone.items():
        assert not model._default_manager.filter(pk__in=keys).exists(), model.__name__
    assert list(stored_files(GONE)) == []
    assert list(Repository.objects.values_list("full_name", flat=True)) == [KEPT]
    assert [each.delivery_id for each in WebhookDelivery.objects.all()] == [KEPT]
    assert f"{GONE} is deleted" in out.getvalue()


def test_it_asks_for_the_name_and_another_one_deletes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Repository.objects.create(full_name=GONE)
    monkeypatch.setattr("builtins.input", lambda _: KEPT)

    with pytest.raises(CommandError, match="nothing was deleted"):
        call_command("delete_repository", GONE, stdout=StringIO())
    assert Repository.objects.filter(full_name=GONE).exists()

    monkeypatch.setattr("builtins.input", lambda _: GONE)
    call_command("delete_repository", GONE, stdout=StringIO())
    assert not Repository.objects.filter(full_name=GONE).exists()


def test_a_name_that_nobody_has_is_bad_input() -> None:
    with pytest.raises(CommandError, match="no repository is called"):
        call_command("delete_repository", "acme/none", "--yes")
