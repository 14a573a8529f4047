"""What an open question to a person rests on, and therefore stays."""

from django.db.models import Exists, OuterRef, Q

from triage.models import Escalation, Finding
from triage.terms import Difference, EscalationState


def commits_in_question(repository_id: int) -> list[str]:
    """Return the commits whose findings an open question shows or holds."""
    pair = Q(first_label=OuterRef("expected"), second_label=OuterRef("observed"))
    swapped = Q(first_label=OuterRef("observed"), second_label=OuterRef("expected"))
    asked = Escalation.objects.filter(
        pair | swapped, case_id=OuterRef("case_id"), state=EscalationState.OPEN
    )
    findings = Finding.objects.filter(
        Exists(asked), repository_id=repository_id, difference=Difference.LABEL
    )
    return list(findings.values_list("verdict__run__sha", flat=True).distinct())
