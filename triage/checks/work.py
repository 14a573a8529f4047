"""What the service has to do: uploads that wait, what is published, secrets that it can read."""

from datetime import timedelta

from django.utils import timezone

from triage.checks.running import CheckResult, CheckState
from triage.errors import UnreadableSecretError
from triage.models import Publication, Upload
from triage.models.sealed import sealed_values
from triage.sealing import unseal
from triage.terms import OPEN_UPLOADS, PublicationState, UploadState

OLDEST_WAITING = timedelta(minutes=10)


def check_uploads() -> CheckResult:
    """Whether uploads are worked on, and none was set aside."""
    waiting = Upload.objects.filter(state__in=OPEN_UPLOADS)
    late = waiting.filter(received_at__lt=timezone.now() - OLDEST_WAITING).count()
    dead = Upload.objects.filter(state=UploadState.DEAD).count()
    told = f"{waiting.count()} uploads wait, {late} for over ten minutes; {dead} were set aside"
    if late or dead:
        return CheckResult(
            "uploads",
            CheckState.WARN,
            told,
            "their reason stands on their page, which the page of their run leads to; then "
            "tiebreak retry_upload --all",
        )
    return CheckResult("uploads", CheckState.OK, told)


def check_publishing() -> CheckResult:
    """Whether forges took what was published in the last day."""
    newest = Publication.objects.filter(changed_at__gt=timezone.now() - timedelta(days=1))
    refused = newest.filter(state=PublicationState.FAILED)
    held = Publication.objects.filter(
        state=PublicationState.WAITING, next_try_at__gt=timezone.now() + OLDEST_WAITING
    )
    told = (
        f"{newest.count()} checks and comments in a day, {refused.count()} refused; "
        f"{held.count()} put off"
    )
    first = (refused | held).select_related("repository").order_by("-changed_at").first()
    if first:
        remedy = f"see the page of publishing of {first.repository}: {first.error[:120]}"
        return CheckResult("publishing", CheckState.WARN, told, remedy)
    return CheckResult("publishing", CheckState.OK, told)


def check_secrets() -> CheckResult:
    """Whether every stored secret can be decrypted."""
    found = list(sealed_values())
    unreadable = [each for each in found if not _is_readable(each.value)]
    if unreadable:
        return CheckResult(
            "secrets",
            CheckState.FAIL,
            f"{len(unreadable)} of {len(found)} cannot be decrypted, such as the {unreadable[0]}",
            "put the key that they were stored under back into FIELD_KEYS (or SECRET_KEY), or "
            "enter them again",
        )
    return CheckResult("secrets", CheckState.OK, f"all {len(found)} stored ones can be decrypted")


def _is_readable(sealed: str) -> bool:
    try:
        unseal(sealed)
    except UnreadableSecretError:
        return False
    return True
