"""Say which repositories on GitHub may send reports by the identity of their workflows."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.access.audit import note_for
from triage.management.repositories import BAD_INPUT
from triage.management.tables import ensure_tables
from triage.models import Repository, WorkflowIdentity
from triage.models.repositories import FULL_NAME
from triage.upload.acceptance import find_or_add_repository
from triage.upload.issuers import allowed_issuers
from triage.upload.tokens import CONSOLE
from triage.upload.workflow_tokens import HIGHEST_ID


class Command(BaseCommand):
    """``tiebreak workflows OWNER/NAME list|allow|refuse``."""

    help = (
        "List, allow and refuse the GitHub repositories whose workflows may send reports of a "
        "repository without a token. One with the GitHub App is allowed by itself. Exit status: "
        "0, or 2 for bad input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("list", help="show what is allowed")
        for name, what in (("allow", "let workflows in"), ("refuse", "let them in no more")):
            action = actions.add_parser(name, help=what)
            action.add_argument(
                "number",
                type=int,
                help="GitHub's number of the repository: gh api repos/OWNER/NAME --jq .id",
            )
            action.add_argument(
                "--issuer", help="default: the first one of GITHUB_ID_TOKEN_ISSUERS"
            )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        full_name = options["repo"]
        if not FULL_NAME.fullmatch(full_name):
            raise CommandError(f"repo must be OWNER/NAME, got {full_name!r}", returncode=BAD_INPUT)
        ensure_tables()
        repository = find_or_add_repository(full_name)
        if options["action"] == "list":
            known = WorkflowIdentity.objects.filter(repository=repository).order_by("pk")
            lines = [f"{each.github_id} at {each.issuer}" for each in known]
            self.stdout.write("\n".join(lines) or f"{repository}: no number is allowed")
            return
        issuer, number = _issuer(options["issuer"]), options["number"]
        if not 1 <= number <= HIGHEST_ID:
            raise CommandError(f"the number must be positive, got {number}", returncode=BAD_INPUT)
        change = _allow if options["action"] == "allow" else _refuse
        self.stdout.write(change(repository, issuer, number))


def _issuer(asked: str | None) -> str:
    allowed = allowed_issuers()
    chosen = asked or (allowed[0] if allowed else "")
    if chosen not in allowed:
        raise CommandError(
            f"the issuer must be one of GITHUB_ID_TOKEN_ISSUERS ({', '.join(allowed) or 'none'}), "
            f"got {chosen!r}",
            returncode=BAD_INPUT,
        )
    return chosen


def _allow(repository: Repository, issuer: str, number: int) -> str:
    known, is_new = WorkflowIdentity.objects.get_or_create(
        issuer=issuer,
        github_id=number,
        defaults={"repository": repository, "added_by": CONSOLE},
    )
    if known.repository_id != repository.pk:
        raise CommandError(
            f"{number} at {issuer} is {known.repository}; refuse it there first",
            returncode=BAD_INPUT,
        )
    if is_new:
        note_for(CONSOLE, "workflows_allowed", repository, str(number), issuer=issuer)
    return f"workflows of {number} at {issuer} may send reports of {repository}"


def _refuse(repository: Repository, issuer: str, number: int) -> str:
    known = WorkflowIdentity.objects.filter(repository=repository, issuer=issuer, github_id=number)
    if not known.delete()[0]:
        raise CommandError(
            f"{number} at {issuer} is not allowed for {repository}", returncode=BAD_INPUT
        )
    note_for(CONSOLE, "workflows_refused", repository, str(number), issuer=issuer)
    return f"workflows of {number} at {issuer} may send reports of {repository} no more"
