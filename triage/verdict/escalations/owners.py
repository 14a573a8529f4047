"""Who is asked about a class: its tie-break, then CODEOWNERS, then the policy's default."""

from triage.models import Case
from triage.policy.owners import owners_of
from triage.verdict.run_policy import RunPolicy
from triage.verdict.tie_breaks import TieBreak

MOST_CHARACTERS = 200


def owner_of(case: Case, tie_break: TieBreak, policy: RunPolicy) -> str:
    """Return who is asked; empty where nobody is named."""
    named = policy.named_owner(tie_break)
    owners = " ".join(owners_of(case.repository.codeowners, case))[:MOST_CHARACTERS]
    return named or owners or policy.default_owner
