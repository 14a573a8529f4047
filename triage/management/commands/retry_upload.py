"""Begin again with uploads that were set aside."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet

from triage import outbox
from triage.dispatch import after_commit
from triage.management.tables import ensure_tables
from triage.models import Upload
from triage.terms import UploadState


class Command(BaseCommand):
    """``tiebreak retry_upload ID``."""

    help = (
        "Begin again with uploads that were set aside, once the cause that their page tells is "
        "gone. Without a broker they are done here. Exit status: 0, 1 if one was set aside again, "
        "2 for bad input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("ids", nargs="*", metavar="ID", help="numbers of uploads")
        parser.add_argument("--all", action="store_true", help="every upload that was set aside")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        chosen = list(_chosen(options["ids"], is_all=options["all"]))
        for upload in chosen:
            outbox.retry(upload)
            after_commit(upload.pk)
            upload.refresh_from_db()
            self.stdout.write(f"{upload.pk}: {upload.error or upload.state}")
        self.stdout.write(f"{len(chosen)} begun again")
        if any(upload.error for upload in chosen):
            raise CommandError("not all could be processed; see above", returncode=1)


def _chosen(ids: list[str], *, is_all: bool) -> QuerySet[Upload]:
    dead = Upload.objects.filter(state=UploadState.DEAD).order_by("received_at")
    if is_all:
        return dead
    if not ids:
        raise CommandError("name uploads by their numbers, or give --all", returncode=2)
    try:
        found = dead.filter(pk__in=ids)
    except ValidationError as error:
        told = f"an upload's number is a UUID: {error.messages[0]}"
        raise CommandError(told, returncode=2) from error
    missing = set(ids) - {str(upload.pk) for upload in found}
    if missing:
        raise CommandError(f"not set aside: {', '.join(sorted(missing))}", returncode=2)
    return found
