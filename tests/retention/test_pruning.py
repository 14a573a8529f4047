"""What is too old goes, what is needed stays, and nothing is counted twice."""

from collections import Counter
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from budgets.ledger import newest_charges
from tests.flows.suites import (
    FLIP,
    REPO,
    START,
    WORDING,
    CaseRun,
    history,
    report,
    sha,
    suite,
    take,
    upload,
)
from triage.errors import PrunedError
from triage.models import (
    AuditEntry,
    Case,
    Epoch,
    EpochDay,
    Escalation,
    FailureText,
    Finding,
    Observation,
    Part,
    Repository,
    Result,
    Run,
    Upload,
    Verdict,
    WebhookDelivery,
)
from triage.parse.archives import UploadedFile
from triage.retention.batches import delete_in_batches
from triage.retention.files import stored_files
from triage.retention.pruning import prune, survey
from triage.retention.texts import old_texts
from triage.upload import acceptance
from triage.upload.acceptance import accept
from triage.upload.submission import Submission

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_files(tmp_path: Path, settings: Any) -> None:
    """Keep raw files where no other test keeps any."""
    uploads = settings.STORAGES["uploads"] | {"OPTIONS": {"location": tmp_path}}
    settings.STORAGES = settings.STORAGES | {"uploads": uploads}


WORDED = CaseRun("test_ticket[1]", WORDING)
FLIPPED = CaseRun("test_ticket[2]", FLIP, label="billing")


def days_later(days: int) -> datetime:
    """Return a time so many days after the first run."""
    return START + timedelta(days=days)


def counted() -> list[object]:
    """Return all that verdicts start from."""
    names = ("pk", "calls", "text", "label", "results", "accepted_rate", "monitor")
    return [*Epoch.objects.order_by("pk").values(*names), *EpochDay.objects.order_by("pk").values()]


def a_history() -> None:
    """Take clean runs, one with wording differences, and a newest one of the same branch."""
    history(4, runs=3)
    take(suite(4, WORDED), 4)
    take(suite(4, WORDED), 5)


def test_nothing_is_pruned_that_is_young() -> None:
    a_history()

    assert prune(days_later(20)).total() == 0
    assert Run.objects.filter(pruned_at__isnull=False).count() == 0


def test_old_runs_keep_their_row_their_counts_and_the_newest_verdict_of_their_branch() -> None:
    a_history()
    before = counted()
    newest = Run.objects.get(sha=sha(5))

    deleted = prune(days_later(450))

    assert counted() == before
    assert Run.objects.filter(pruned_at__isnull=False).count() == 5
    for model in (Result, Observation, Finding, Part, Upload, FailureText):
        assert model.objects.count() == 0
    assert list(Verdict.objects.values_list("run", flat=True)) == [newest.pk]
    assert deleted["runs"] == 5
    assert deleted["results"] == deleted["findings"] == 2
    assert deleted["charges"] == 2
    assert newest_charges(repository_id=newest.repository_id).count() == 0


def test_the_kept_verdict_of_a_branch_goes_when_a_newer_run_is_there() -> None:
    a_history()
    prune(days_later(450))
    take(suite(4), 6, at=days_later(40))

    assert prune(days_later(450))["verdicts"] == 1
    assert Verdict.objects.get().run.sha == sha(6)


def test_a_dry_run_tells_what_pruning_then_deletes() -> None:
    a_history()
    told = survey(days_later(450))

    assert Result.objects.count() == 2
    deleted = prune(days_later(450))
    assert {table: told[table] for table in told} == {table: deleted[table] for table in told}
    assert survey(days_later(450)).total() == 0


def test_texts_go_before_results_and_the_page_says_so(admin_client: Client) -> None:
    a_history()
    run = Run.objects.get(sha=sha(5))

    assert prune(days_later(100))["failure texts"] == 1

    page = admin_client.get(f"/runs/{run.pk}/").content.decode()
    assert "The failure text was deleted" in page
    assert "I refunded it now" in page
    assert Result.objects.count() == 2


def test_a_text_that_a_recent_result_shares_stays() -> None:
    a_history()
    take(suite(4, WORDED), 6, at=START + timedelta(days=60))

    assert prune(days_later(100))["failure texts"] == 0


def test_an_open_question_keeps_what_it_needs(admin_client: Client) -> None:
    history(6)
    take(suite(6, FLIPPED), 20, branch="topic", pr=7)
    run = Run.objects.get(pr=7)
    result = Result.objects.get()
    question = Escalation.objects.create(
        repository_id=run.repository_id,
        case_id=result.case_id,
        epoch_id=result.epoch_id,
        first_label="billing",
        second_label="fraud",
        opened_at=START,
    )

    prune(days_later(450))
    run.refresh_from_db()
    assert run.pruned_at is None
    assert Finding.objects.count() == 1
    assert FailureText.objects.count() == 1
    assert admin_client.get(f"/escalations/{question.pk}/").status_code == 200

    Escalation.objects.update(state="decided")
    prune(days_later(450))
    assert Finding.objects.count() == FailureText.objects.count() == 0
    assert admin_client.get(f"/escalations/{question.pk}/").status_code == 200


def test_every_page_of_what_was_pruned_still_answers(admin_client: Client) -> None:
    a_history()
    runs = list(Run.objects.values_list("pk", flat=True))
    prune(days_later(450))

    for run in runs:
        page = admin_client.get(f"/runs/{run}/")
        assert page.status_code == 200
        assert "The results of this run were deleted" in page.content.decode()
    for case in Case.objects.all():
        assert admin_client.get(f"/cases/{case.pk}/").status_code == 200
    for name in ("repository", "budgets", "escalations"):
        page = admin_client.get(reverse(name, args=[REPO]))
        assert page.status_code == 200, name
    assert (
        "Results deleted on"
        in admin_client.get(reverse("repository", args=[REPO])).content.decode()
    )


def test_a_report_of_a_pruned_run_is_refused_and_counts_nothing_twice() -> None:
    a_history()
    prune(days_later(450))
    before = counted()
    kept = [*stored_files(REPO)]

    for cases in (suite(4, WORDED), suite(5)):
        for attempt in (1, 2):
            with pytest.raises(PrunedError, match="stay counted"):
                upload(cases, 4, attempt=attempt)

    assert counted() == before
    assert Part.objects.count() == 0
    assert [*stored_files(REPO)] == kept


def test_a_pruned_run_that_was_left_half_way_is_finished() -> None:
    a_history()
    Run.objects.update(pruned_at=START)
    Observation.objects.all().delete()

    deleted = prune(days_later(450))

    assert deleted["results"] == 2
    assert Part.objects.count() == Result.objects.count() == 0


def test_a_run_whose_report_is_not_judged_yet_stays() -> None:
    a_history()
    Upload.objects.filter(run__sha=sha(4)).update(state="recorded")

    prune(days_later(450))

    assert Run.objects.get(sha=sha(4)).pruned_at is None
    assert len(list(stored_files(REPO))) == 1


def test_attempts_go_together() -> None:
    take(suite(4, WORDED), 1, run_id="9")
    take(suite(4), 1, run_id="9", attempt=2, at=START + timedelta(days=50))

    prune(days_later(430))
    assert Run.objects.filter(pruned_at__isnull=False).count() == 0

    prune(days_later(460))
    assert Run.objects.filter(pruned_at__isnull=False).count() == 2


def test_zero_days_keep_forever(settings: Any) -> None:
    a_history()
    for name in ("UPLOADS", "TEXTS", "RESULTS", "LEDGER", "EVENTS", "AUDIT"):
        setattr(settings, f"RETENTION_{name}_DAYS", 0)

    assert prune(days_later(30_000)).total() == 0


def test_raw_files_go_first_and_one_that_a_recent_upload_shares_stays() -> None:
    a_history()
    assert len(list(stored_files(REPO))) == 2
    later = timezone.now() + timedelta(days=40)
    Upload.objects.filter(run__sha=sha(5)).update(received_at=later - timedelta(days=10))

    assert prune(later)["files"] == 1
    (kept,) = stored_files(REPO)
    assert Upload.objects.get(run__sha=sha(5)).files[0]["stored_as"] == kept

    assert prune(later + timedelta(days=40))["files"] == 1
    assert list(stored_files(REPO)) == []


def test_files_that_no_upload_refers_to_and_those_of_others_are_told_apart() -> None:
    take(suite(2), 1)
    names = [f"{REPO}/ab/ab{'0' * 62}", f"{REPO}/ab/cd/cd{'0' * 62}", f"{REPO}/ab/notes.txt"]
    for name in names:
        storages["uploads"].save(name, ContentFile(b"x"))

    prune(days_later(450))

    assert [storages["uploads"].exists(name) for name in names] == [False, True, True]


def test_events_and_the_log_of_changes_have_periods_of_their_own() -> None:
    repository = Repository.objects.create(full_name=REPO)
    for days in (0, 700):
        AuditEntry.objects.create(
            repository=repository, who="ada", action="mute", at=days_later(days)
        )
    for number, done in enumerate((START, None)):
        WebhookDelivery.objects.create(
            delivery_id=str(number), event="push", body={}, received_at=START, processed_at=done
        )

    deleted = prune(days_later(740))

    assert deleted == Counter({"audit entries": 1, "webhook deliveries": 1}) | deleted
    assert AuditEntry.objects.get().at == days_later(700)
    assert WebhookDelivery.objects.get().processed_at is None


def test_batches_are_bounded_and_rows_that_stay_are_passed() -> None:
    repository = Repository.objects.create(full_name=REPO)
    FailureText.objects.bulk_create(
        FailureText(repository=repository, sha256=str(number), text="x", length=1)
        for number in range(1_200)
    )

    batches = delete_in_batches(lambda: old_texts(repository.pk, START), repository.pk)

    assert list(batches) == [500, 500, 200]


def test_the_command_prints_what_went(settings: Any) -> None:
    a_history()
    settings.RETENTION_RESULTS_DAYS = 31
    for flag, word in (([], "Deleted"), (["--dry-run"], "Would be deleted")):
        out = StringIO()
        call_command("prune", *flag, stdout=out)
        assert word in out.getvalue()
        assert "failure texts" in out.getvalue()


def test_an_upload_whose_file_was_deleted_meanwhile_stores_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = report(suite(2))
    lock = acceptance.lock_repository

    def prune_first(full_name: str) -> Repository:
        for name in list(stored_files(full_name)):
            storages["uploads"].delete(name)
        return lock(full_name)

    monkeypatch.setattr(acceptance, "lock_repository", prune_first)
    accepted = accept(Submission(REPO, sha(1), (UploadedFile("junit.xml", body),), at=START))

    assert list(stored_files(REPO)) == [accepted.upload.files[0]["stored_as"]]
