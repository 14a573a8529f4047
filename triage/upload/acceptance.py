"""Keep an upload: its files in storage, its row in the outbox, each exactly once."""

import hashlib
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from triage.errors import (
    IdempotencyKeyReusedError,
    InvalidRequestError,
    NoFilesError,
    PrunedError,
    UnreadableReportError,
)
from triage.models import Part, Repository, Run, Token, Upload
from triage.outbox import LEASE
from triage.parse.report import UploadReading
from triage.parse.upload import UploadedFile, read_upload
from triage.record.storage import store_files
from triage.upload.policies import take_policy_of_run
from triage.upload.submission import Submission


@dataclass(frozen=True, slots=True)
class Accepted:
    """An upload that is stored, and whether it had been stored before."""

    upload: Upload
    is_replay: bool
    # What the files hold: whoever works on them in this process need not read them again.
    reading: UploadReading


def accept(submission: Submission, token: Token | None = None) -> Accepted:
    """Store a submission and return its upload; the same submission is stored once.

    Raises a ``TiebreakError`` and stores nothing when no file can be read. The work itself is
    left to ``triage.pipeline``.
    """
    if not submission.files:
        raise NoFilesError(
            "no report file was sent; send one or more multipart fields named 'files', "
            "each with one file"
        )
    reading = read_upload(submission.files)
    refuse_unreadable(reading)
    digest = content_digest(submission.files)
    _refuse_pruned(submission)
    _find_keyed(submission, digest)
    stored = store_files(submission.repo, submission.files)
    with transaction.atomic():
        repository = lock_repository(submission.repo)
        _refuse_pruned(submission)
        # Behind the lock none of them can be taken for old and deleted any more.
        store_files(submission.repo, submission.files)
        replayed = _find_replay(repository, submission, digest)
        if replayed:
            return Accepted(replayed, is_replay=True, reading=reading)
        upload = _create_upload(repository, submission, digest, stored, token)
        if submission.policy is not None:
            take_policy_of_run(repository, upload.run, submission.policy)
        return Accepted(upload, is_replay=False, reading=reading)


def find_or_create_run(submission: Submission) -> Run:
    """Return the run that a submission names, made if no report of it has come."""
    with transaction.atomic():
        repository = lock_repository(submission.repo)
        _refuse_pruned(submission)
        return _find_or_create_run(repository, submission)


def refuse_unreadable(reading: UploadReading) -> None:
    """Raise the first refusal, with all others as details, when nothing could be read."""
    if reading.reports:
        return
    details: list[dict[str, object]] = [
        {"file": refused.file, "kind": refused.kind, "error": refused.error, "line": refused.line}
        for refused in reading.refused
    ]
    if reading.refused:
        first = reading.refused[0]
        raise UnreadableReportError(first.error, first.file, first.line, details)
    ignored = ", ".join(f"{each.file} ({each.reason})" for each in reading.ignored[:5])
    raise UnreadableReportError(f"no file holds test results; ignored: {ignored}")


def content_digest(files: tuple[UploadedFile, ...]) -> str:
    """Return the SHA-256, hex, over names and bytes of files whatever their order."""
    each = sorted(
        (hashlib.sha256(file.body).hexdigest(), file.name.rsplit("/", 1)[-1]) for file in files
    )
    return hashlib.sha256(repr(each).encode()).hexdigest()


def lock_repository(full_name: str) -> Repository:
    """Return the repository, made if new, locked until the transaction ends.

    One writer at a time per repository keeps slots, tallies and verdicts in step.
    """
    find_or_add_repository(full_name)
    return Repository.objects.select_for_update().get(full_name=full_name)


def find_or_add_repository(full_name: str) -> Repository:
    """Return the repository of this name, made if new."""
    return Repository.objects.get_or_create(full_name=full_name)[0]


def _refuse_pruned(submission: Submission) -> None:
    """Refuse a run whose results were deleted: they are counted, and nothing tells which.

    Asked before files are stored, so that what is refused leaves none, and again behind the lock.
    """
    pruned = Run.objects.filter(
        repository__full_name=submission.repo,
        sha=submission.sha,
        ci_run_id=submission.run_id,
        pruned_at__isnull=False,
    ).first()
    if pruned and pruned.pruned_at:
        raise PrunedError(
            f"the results of run {pruned.pk} were deleted on {pruned.pruned_at:%Y-%m-%d} for their "
            "age and stay counted; send a report under a new run id"
        )


def _find_keyed(submission: Submission, digest: str) -> Upload | None:
    """Return the upload of a submission's key, if any; raise when it is one of something else.

    It is asked twice for the same reason as whether the run was pruned.
    """
    key = submission.idempotency_key
    if not key:
        return None
    keyed = (
        Upload.objects.select_related("run", "part")
        .filter(repository__full_name=submission.repo, idempotency_key=key)
        .first()
    )
    if keyed and (keyed.content_sha256 != digest or not _is_of_same_part(keyed, submission)):
        raise IdempotencyKeyReusedError(
            f"Idempotency-Key {key!r} was used before for other files or another job; use a "
            "new key for each, for example one with the run, the attempt and the job's index"
        )
    return keyed


def _find_replay(repository: Repository, submission: Submission, digest: str) -> Upload | None:
    keyed = _find_keyed(submission, digest)
    if keyed:
        return keyed
    return Upload.objects.filter(
        part__name=submission.part_name,
        run__repository=repository,
        run__sha=submission.sha,
        run__ci_run_id=submission.run_id,
        run__attempt=submission.attempt,
        content_sha256=digest,
    ).first()


def _is_of_same_part(upload: Upload, submission: Submission) -> bool:
    run = upload.run
    return (run.sha, run.ci_run_id, run.attempt, upload.part.name) == (
        submission.sha,
        submission.run_id,
        submission.attempt,
        submission.part_name,
    )


def _create_upload(
    repository: Repository,
    submission: Submission,
    digest: str,
    stored: list[dict[str, object]],
    token: Token | None,
) -> Upload:
    run = _find_or_create_run(repository, submission)
    part, _ = Part.objects.get_or_create(
        run=run,
        name=submission.part_name,
        defaults={"repository": repository, "index": submission.part_index},
    )
    return Upload.objects.create(
        repository=repository,
        run=run,
        part=part,
        token=token,
        idempotency_key=submission.idempotency_key,
        content_sha256=digest,
        files=stored,
        # It is sent for at once; the sweep looks after it when that came to nothing.
        leased_until=timezone.now() + LEASE,
    )


def _find_or_create_run(repository: Repository, submission: Submission) -> Run:
    is_default_branch = submission.branch in {"", repository.default_branch}
    run, _ = Run.objects.get_or_create(
        repository=repository,
        sha=submission.sha,
        ci_run_id=submission.run_id,
        attempt=submission.attempt,
        defaults={
            "branch": submission.branch or ("" if submission.pr else repository.default_branch),
            "pr": submission.pr,
            "base_sha": submission.base_sha,
            "merge_sha": submission.merge_sha,
            "is_trusted": submission.is_trusted,
            "is_reference": submission.is_trusted and submission.pr is None and is_default_branch,
            "at": submission.at or timezone.now(),
        },
    )
    if run.is_trusted and not submission.is_trusted:
        raise InvalidRequestError(
            f"run {run.ci_run_id!r} was reported with a token; what comes without one adds nothing"
        )
    if submission.part_total and submission.part_total > (run.parts_expected or 0):
        run.parts_expected = submission.part_total
        run.save(update_fields=["parts_expected"])
    return run
