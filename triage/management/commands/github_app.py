"""Enter a GitHub App by hand."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.management.tables import ensure_tables
from triage.publish.app_entry import EnteredApp, enter
from triage.publish.github.addresses import web_url_of


class Command(BaseCommand):
    """``tiebreak github_app --app-id ID --slug SLUG --private-key FILE``."""

    help = (
        "Enter the GitHub App that publishes verdicts. Its private key and webhook secret are "
        "stored encrypted. An App entered before is replaced. Exit status: 0, or 2 for bad input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("--app-id", type=int, required=True, metavar="ID")
        parser.add_argument("--slug", required=True, help="its name in addresses")
        parser.add_argument("--private-key", type=Path, required=True, metavar="FILE")
        parser.add_argument("--webhook-secret", type=Path, required=True, metavar="FILE")
        parser.add_argument("--client-id", default="")
        parser.add_argument(
            "--client-secret", type=Path, metavar="FILE", help="lets people sign in with GitHub"
        )
        parser.add_argument("--api-url", default="https://api.github.com")
        parser.add_argument("--html-url", default="", help="where its pages are, if elsewhere")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        api_url = options["api_url"].rstrip("/")
        app = enter(
            EnteredApp(
                app_id=options["app_id"],
                slug=options["slug"],
                api_url=api_url,
                html_url=options["html_url"].rstrip("/") or web_url_of(api_url),
                private_key=_read(options["private_key"]),
                webhook_secret=_read(options["webhook_secret"]),
                client_id=options["client_id"],
                client_secret=_read(options["client_secret"]) if options["client_secret"] else "",
            )
        )
        self.stdout.write(
            f"{app} is entered; let it deliver to TIEBREAK_URL/webhooks/github/ and install it."
        )


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}", returncode=2) from error
