"""What forges shall show: a verdict asks for it here, in the transaction that judged."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from triage.models import Publication, Run, Verdict
from triage.publish.publishers import publisher_of
from triage.publish.starting import start_after_commit
from triage.terms import PublicationKind, PublicationState

# A replayed history is no news to anybody.
OLDEST_SHOWN = timedelta(days=1)
# A fork chose the names in it.
MOST_OF_A_REASON = 300


def want_recent_verdict(verdict: Verdict, now: datetime) -> None:
    """Ask that a verdict is shown, unless its run is too old to be news."""
    if verdict.run.at >= now - OLDEST_SHOWN:
        want_verdict(verdict)


def want_verdict(verdict: Verdict) -> None:
    """Ask that a verdict is shown on its commit and, if something failed, on its pull request.

    A verdict of an earlier attempt never replaces that of a later one.
    """
    run = verdict.run
    if publisher_of(run.repository_id) is None:
        return
    _want(verdict, PublicationKind.CHECK, run.sha)
    if run.pr is not None:
        is_shown = Publication.objects.filter(
            repository_id=run.repository_id, kind=PublicationKind.COMMENT, subject=str(run.pr)
        ).exists()
        if verdict.document["findings"] or is_shown:
            _want(verdict, PublicationKind.COMMENT, str(run.pr))


def show_again(repository_id: int, sha: str, *, is_sent_anew: bool = False) -> None:
    """Ask that the check of a commit is brought up to date, since more is known than its verdict.

    ``is_sent_anew`` sends it even if it says the same: somebody asked the forge for it.
    """
    for publication in Publication.objects.filter(
        repository_id=repository_id, kind=PublicationKind.CHECK, subject=sha
    ):
        if is_sent_anew:
            publication.sent_digest = ""
        _wait(publication, *(["sent_digest"] if is_sent_anew else ()))


def try_again(**scope: object) -> None:
    """Let everything that waits in some scope be tried at once, since a person mended something."""
    waiting = Publication.objects.filter(state=PublicationState.WAITING, **scope)
    for publication in waiting:
        _wait(publication)


def newest_verdict(run: Run) -> Verdict | None:
    """Return the verdict that holds for the last attempt of a CI run."""
    return (
        Verdict.objects.filter(
            repository_id=run.repository_id,
            run__sha=run.sha,
            run__ci_run_id=run.ci_run_id,
            is_current=True,
        )
        .select_related("run__repository")
        .order_by("-run__attempt")
        .first()
    )


def want_waiting_check(repository_id: int, sha: str) -> None:
    """Ask for a check on a new head, so that a required one is there before any report."""
    made, is_new = Publication.objects.get_or_create(
        repository_id=repository_id, kind=PublicationKind.CHECK, subject=sha
    )
    if is_new:
        start_after_commit(made.pk)


def end_without_results(repository_id: int, sha: str) -> None:
    """Complete the check of a commit whose workflows ended without a report."""
    changed = Publication.objects.filter(
        repository_id=repository_id, kind=PublicationKind.CHECK, subject=sha, wanted__isnull=True
    )
    for publication in changed:
        publication.has_no_results = True
        _wait(publication, "has_no_results")


def note_left_out(repository_id: int, sha: str, left_out: Sequence[str]) -> None:
    """Ask that the check of a commit names what was left out of what a fork reported."""
    told = [each[:MOST_OF_A_REASON] for each in left_out]
    publication, _ = Publication.objects.get_or_create(
        repository_id=repository_id, kind=PublicationKind.CHECK, subject=sha
    )
    if publication.left_out != told:
        publication.left_out = told
        _wait(publication, "left_out")


def _want(verdict: Verdict, kind: PublicationKind, subject: str) -> None:
    with transaction.atomic():
        publication, _ = Publication.objects.select_for_update().get_or_create(
            repository_id=verdict.repository_id, kind=kind, subject=subject
        )
        if publication.wanted is None or _is_newer(verdict, publication.wanted):
            publication.wanted = verdict
            _wait(publication, "wanted")


def _is_newer(verdict: Verdict, shown: Verdict) -> bool:
    before, after = shown.run, verdict.run
    if (before.sha, before.ci_run_id) != (after.sha, after.ci_run_id):
        return (after.at, after.pk) >= (before.at, before.pk)
    return (after.attempt, verdict.pk) > (before.attempt, shown.pk)


def _wait(publication: Publication, *changed: str) -> None:
    """Let a publication wait for its delivery, with the fields that were changed.

    Nothing else is written: somebody may be delivering it now, and note what the forge has.
    """
    now = timezone.now()
    publication.state = PublicationState.WAITING
    publication.attempts, publication.error = 0, ""
    publication.next_try_at = publication.changed_at = now
    told = ["state", "attempts", "error", "next_try_at", "changed_at", *changed]
    publication.save(update_fields=told)
    start_after_commit(publication.pk)
