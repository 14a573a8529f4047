"""The lines that register a tie-break in the policy: proposed for a commit, never written."""

import json

from triage.models import Escalation


def policy_lines(escalation: Escalation) -> str:
    """Return the lines for ``.tiebreak.yml`` that give the pair a second pass of its own."""
    case = escalation.case
    pattern = f"{case.file}::*" if case.file else case.title
    pair = json.dumps([escalation.first_label, escalation.second_label], ensure_ascii=False)
    return (
        "labels:\n"
        f"  - match: {json.dumps(pattern, ensure_ascii=False)}\n"
        "    pairs:\n"
        f"      - labels: {pair}\n"
        "        tie_break: {policy: second_pass, passes: 5, agree: 4}\n"
    )
