"""Check a policy file."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from triage.management.policies import read_policy_file
from triage.management.repositories import find_repository
from triage.management.tables import ensure_tables
from triage.models import Case, Repository
from triage.policy.document import Policy
from triage.policy.matching import budget_rules, label_rules, llm_rules


class Command(BaseCommand):
    """``tiebreak check_policy FILE``."""

    help = (
        "Check a policy file and print every error with line and column; with --repo also how many "
        "of the repository's cases each rule matches. Exit status: 0, or 2 for a file with errors."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--repo", metavar="OWNER/NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        policy, _, _ = read_policy_file(options["file"])
        self.stdout.write(f"{options['file']}: legal")
        if options["repo"]:
            ensure_tables()
            self.stdout.write("\n".join(_matches(policy, find_repository(options["repo"]))))


def _matches(policy: Policy, repository: Repository) -> Iterator[str]:
    cases = list(Case.objects.filter(repository=repository))
    yield f"{repository}: {len(cases)} cases"
    for matcher in (llm_rules(policy), budget_rules(policy), label_rules(policy)):
        found = (matcher.first(case) for case in cases)
        counts = Counter(match.index for match in found if match)
        for rule in matcher.rules:
            place = f"{rule.section}[{rule.index}]"
            yield f"  {place} {rule.pattern}: {counts[rule.index]} cases"
