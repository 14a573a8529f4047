"""Encrypt every stored secret under the newest key."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.errors import UnreadableSecretError
from triage.management.tables import ensure_tables
from triage.models.sealed import SealedValue, sealed_values
from triage.sealing import new_key, reseal

UNREADABLE = 1


class Command(BaseCommand):
    """``tiebreak rotate_keys``."""

    help = (
        "Encrypt every stored secret (GitHub App, publishers, notification channels) under the "
        "first key of FIELD_KEYS. To change the key: put a new one before the old ones in "
        "FIELD_KEYS, restart everything, run this, then take the old ones away. May run at any "
        "time and as often as wanted. Exit status: 0, or 1 if a secret cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument(
            "--new", action="store_true", help="print a fresh key and change nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        if options["new"]:
            self.stdout.write(new_key())
            return
        ensure_tables()
        found = list(sealed_values())
        unreadable = [each for each in found if not self._rotate(each)]
        self.stdout.write(
            f"{len(found) - len(unreadable)} of {len(found)} secrets are under the first key"
        )
        if unreadable:
            raise CommandError(
                "no key decrypts the others; put the key that they were stored under back into "
                "FIELD_KEYS, or enter them again",
                returncode=UNREADABLE,
            )

    def _rotate(self, sealed: SealedValue) -> bool:
        try:
            resealed = reseal(sealed.value)
        except UnreadableSecretError:
            self.stderr.write(f"{sealed}: cannot be read")
            return False
        if resealed != sealed.value:
            sealed.replace(resealed)
        return True
