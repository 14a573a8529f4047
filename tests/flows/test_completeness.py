"""When a run is all there: parts, closing, deadlines, stragglers, reports that cannot be read."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.flows.policies import set_policy
from tests.flows.suites import (
    FLIP,
    REPO,
    CaseRun,
    history,
    judged,
    report,
    sha,
    suite,
    take,
    upload,
)
from triage import outbox, pipeline
from triage.models import Run, Upload, Verdict
from triage.record import storage
from triage.terms import RunEnd, UploadState
from triage.upload.acceptance import accept, find_or_add_repository
from triage.upload.submission import Submission
from triage.upload.tokens import create_token
from triage.verdict.completeness import close_if_due

SIZE = 4
PR: dict[str, Any] = {"pr": 7, "branch": "change", "run_id": "ci-1"}


@pytest.fixture(autouse=True)
def _history(db: None) -> None:
    history(SIZE)


def first_part(*changed: CaseRun) -> dict[str, Any]:
    """Take the first of two parts; return the verdict."""
    return take(suite(SIZE, *changed)[:2], 30, part="1/2", **PR)


def second_part() -> dict[str, Any]:
    """Take the second of two parts; return the verdict."""
    return take(suite(SIZE)[2:], 30, part="2/2", **PR)


def state(document: dict[str, Any]) -> tuple[str, str]:
    """Return what a verdict concludes, and how much of its run is there."""
    return document["conclusion"], document["completeness"]["state"]


def only_run() -> Run:
    """Return the run of the pull request."""
    return Run.objects.get(sha=sha(30))


def wait_until_due(run: Run) -> datetime:
    """Return the time at which a waiting run is looked at again."""
    run.refresh_from_db()
    assert run.look_at is not None
    return run.look_at


def test_a_run_that_passes_so_far_waits_for_its_other_part() -> None:
    assert state(first_part()) == ("provisional", "waiting")
    assert state(second_part()) == ("passed", "complete")


def test_a_run_that_fails_is_judged_at_once() -> None:
    set_policy("labels:\n- match: '**'\n  critical: [fraud]\n")
    assert state(first_part(CaseRun("test_ticket[0]", FLIP, "billing"))) == ("blocked", "waiting")


def test_the_deadline_closes_a_run_as_provisional_and_says_so() -> None:
    first_part()
    due = wait_until_due(only_run())
    assert pipeline.close_due_runs(due - timedelta(seconds=1)) == 0
    assert pipeline.close_due_runs(due) == 1
    document = judged(only_run())
    assert state(document) == ("provisional", "missing")
    assert "1 of 2 parts reported, though the deadline" in document["headline"]["text"]
    assert document["completeness"]["closed_by"] == "deadline"
    assert pipeline.close_due_runs(due + timedelta(days=1)) == 0


def test_a_run_that_cannot_be_judged_keeps_no_other_from_being_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first_part()
    stuck = only_run()
    take(suite(SIZE)[:2], 31, part="1/2", **PR)
    judge = pipeline.judge

    def failing(run: Run) -> Verdict:
        assert run.pk != stuck.pk
        return judge(run)

    monkeypatch.setattr(pipeline, "judge", failing)
    assert pipeline.close_due_runs(timezone.now() + timedelta(hours=3)) == 2
    assert list(Run.objects.filter(look_at__isnull=False)) == [stuck]


def test_a_run_that_a_part_has_put_off_meanwhile_stays_open() -> None:
    first_part()
    due = wait_until_due(only_run())
    pipeline.judge_run(only_run().pk, lambda run: close_if_due(run, due - timedelta(seconds=1)))
    assert only_run().closed_at is None


def test_the_deadline_is_two_hours_after_the_last_part_unless_a_policy_names_another() -> None:
    first_part()
    received = Upload.objects.get(run=only_run()).received_at
    assert wait_until_due(only_run()) == received + timedelta(hours=2)
    set_policy("completion: {deadline: 30m}\n")
    pipeline.judge_run(only_run().pk)
    assert wait_until_due(only_run()) == received + timedelta(minutes=30)


def test_a_straggler_is_judged_with_its_run_and_named() -> None:
    first_part()
    pipeline.close_due_runs(wait_until_due(only_run()))
    Run.objects.filter(pk=only_run().pk).update(closed_at=timezone.now())
    document = second_part()
    assert state(document) == ("passed", "complete")
    assert any("Part 2/2 reported after the run had been closed" in w for w in document["warnings"])


def test_without_a_number_of_parts_the_first_report_completes_a_run() -> None:
    assert state(take(suite(SIZE), 30, **PR)) == ("passed", "complete")


def test_a_quiet_period_of_the_policy_keeps_a_run_open_until_nothing_more_comes() -> None:
    set_policy("completion: {quiet: 5m}\n")
    document = take(suite(SIZE)[:2], 30, job="one", **PR)
    assert state(document) == ("provisional", "waiting")
    assert state(take(suite(SIZE)[2:], 30, job="two", **PR)) == ("provisional", "waiting")
    assert pipeline.close_due_runs(wait_until_due(only_run())) == 1
    document = judged(only_run())
    assert (state(document), document["completeness"]["closed_by"]) == (
        ("passed", "complete"),
        "quiet",
    )


def test_a_report_that_is_not_read_yet_keeps_its_run_from_passing() -> None:
    first = upload(suite(SIZE)[:2], 30, job="one", **PR)
    files = first.files
    waiting = Upload.objects.create(
        repository=first.repository,
        run=first.run,
        part=first.run.parts.create(repository=first.repository, name="two"),
        content_sha256="0" * 64,
        files=files,
    )
    pipeline.judge_run(first.run_id)
    assert state(judged(first.run)) == ("provisional", "waiting")
    pipeline.process(waiting.pk)
    assert state(judged(first.run)) == ("passed", "complete")


def test_a_report_that_cannot_be_processed_holds_its_run_and_lets_others_flow() -> None:
    poison = _poisoned_upload()
    for _ in range(outbox.MOST_TRIES):
        with pytest.raises(FileNotFoundError):
            pipeline.process(poison.pk)
    poison.refresh_from_db()
    assert (poison.state, poison.attempts) == (UploadState.DEAD, outbox.MOST_TRIES)
    assert "FileNotFoundError" in poison.error
    document = judged(poison.run)
    assert state(document)[0] == "on_hold"
    assert any("could not be processed" in warning for warning in document["warnings"])
    assert take(suite(SIZE), 31)["conclusion"] == "passed"


def test_an_upload_that_was_set_aside_is_begun_again_once_its_cause_is_gone() -> None:
    poison = _poisoned_upload()
    body = report(suite(SIZE))
    for _ in range(outbox.MOST_TRIES):
        with pytest.raises(FileNotFoundError):
            pipeline.process(poison.pk)
    storage.store_files(REPO, Submission(repo=REPO, sha=sha(30), files=_files(body)).files)
    poison.refresh_from_db()
    outbox.retry(poison)
    assert pipeline.sweep() == 1
    assert state(judged(poison.run)) == ("passed", "complete")


def test_workers_that_die_over_an_upload_do_so_a_limited_number_of_times() -> None:
    """A worker that is killed cannot note it; that it began is all that is known of it."""
    taken = accept(Submission(repo=REPO, sha=sha(30), files=_files(report(suite(SIZE))), **PR))
    for _ in range(outbox.MOST_TRIES):
        outbox.lease(taken.upload.pk)
    with pytest.raises(outbox.WorkerLostError):
        pipeline.process(taken.upload.pk)
    taken.upload.refresh_from_db()
    assert taken.upload.state == UploadState.DEAD
    assert "5 workers began with it and fell silent" in taken.upload.error


def test_what_fails_for_the_moment_is_no_try_of_the_upload(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = accept(Submission(repo=REPO, sha=sha(30), files=_files(report(suite(SIZE))), **PR))

    def down(_: Upload) -> None:
        raise ConnectionResetError("storage went away")

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "read_stored", down)
        for _ in range(2 * outbox.MOST_TRIES):
            with pytest.raises(ConnectionResetError):
                pipeline.process(taken.upload.pk)
    taken.upload.refresh_from_db()
    assert (taken.upload.state, taken.upload.attempts) == (UploadState.RECEIVED, 0)
    assert "storage went away" in taken.upload.error
    pipeline.process(taken.upload.pk)
    assert state(judged(taken.upload.run)) == ("passed", "complete")


def _files(body: bytes) -> Any:
    from triage.parse.archives import UploadedFile

    return (UploadedFile("junit.xml", body),)


def _poisoned_upload() -> Upload:
    """Accept an upload, and take its file away."""
    taken = accept(Submission(repo=REPO, sha=sha(30), files=_files(report(suite(SIZE))), **PR))
    for file in taken.upload.files:
        storage.upload_storage().delete(file["stored_as"])
    return taken.upload


class TestCompleteOverHttp:
    """``POST /api/v1/runs/complete``."""

    @pytest.fixture
    def secret(self) -> str:
        """Return a token of the repository."""
        return create_token(find_or_add_repository(REPO), "ci")

    def complete(self, secret: str, query: str = "", **told: Any) -> Any:
        """Say that a run is complete."""
        body = {"repo": REPO, "sha": sha(30), "run_id": "ci-1", "pr": 7} | told
        return Client().post(
            "/api/v1/runs/complete" + query,
            body,
            content_type="application/json",
            headers={"Authorization": f"Bearer {secret}"},
        )

    def test_a_part_that_never_came_leaves_the_run_provisional(self, secret: str) -> None:
        first_part()
        answer = self.complete(secret)
        assert answer.status_code == 200
        assert state(answer.json()) == ("provisional", "missing")
        assert "CI said that it was complete" in answer.json()["headline"]["text"]
        assert self.complete(secret, "?fail_on=provisional").status_code == 422

    def test_it_ends_the_quiet_period(self, secret: str) -> None:
        set_policy("completion: {quiet: 5m}\n")
        take(suite(SIZE), 30, **PR)
        assert state(self.complete(secret).json()) == ("passed", "complete")
        assert only_run().look_at is None

    def test_saying_it_again_changes_nothing(self, secret: str) -> None:
        take(suite(SIZE), 30, **PR)
        assert self.complete(secret).json() == self.complete(secret).json()

    def test_a_run_without_any_report_has_no_results(self, secret: str) -> None:
        answer = self.complete(secret, sha=sha(99))
        assert (answer.json()["conclusion"], answer.json()["exit_code"]) == ("no_results", 3)

    def test_a_token_of_another_repository_may_not(self, secret: str) -> None:
        answer = self.complete(secret, repo="acme/other")
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")

    @pytest.mark.parametrize("body", ["{", "[]", '"x"'])
    def test_a_body_that_is_no_object_is_named(self, secret: str, body: str) -> None:
        answer = Client().post(
            "/api/v1/runs/complete",
            body,
            content_type="application/json",
            headers={"Authorization": f"Bearer {secret}"},
        )
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_request")


def test_the_workflow_s_end_closes_its_run() -> None:
    first_part()
    pipeline.close_run(only_run().pk, RunEnd.WORKFLOW, timezone.now())
    document = judged(only_run())
    assert "though its workflow ended" in document["headline"]["text"]
