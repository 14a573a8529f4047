"""Who is asked about a class: its tie-break, then CODEOWNERS, then the policy's default."""

import pathspec

from triage.models import Case
from triage.verdict.run_policy import RunPolicy
from triage.verdict.tie_breaks import TieBreak


def owner_of(case: Case, tie_break: TieBreak, policy: RunPolicy) -> str:
    """Return who is asked; empty where nobody is named."""
    named = policy.named_owner(tie_break)
    return named or code_owner(case.repository.codeowners, case.file) or policy.default_owner


def code_owner(codeowners: str, file: str) -> str:
    """Return the owners of a file; the last line whose pattern fits counts, as on a forge."""
    if not file:
        return ""
    owner = ""
    for line in codeowners.splitlines():
        pattern, *owners = line.split("#", 1)[0].split()[:4] or [""]
        if pattern and _fits(pattern, file):
            owner = " ".join(owners)
    return owner[:200]


def _fits(pattern: str, file: str) -> bool:
    return pathspec.GitIgnoreSpec.from_lines([pattern]).match_file(file)
