"""The form that mutes a case."""

from datetime import UTC, datetime, time

from django import forms

from triage.models.mutes import NAME_LENGTH, REASON_LENGTH
from triage.verdict.muting import MuteRequest

END_OF_DAY = time(23, 59)


class MuteForm(forms.Form):
    """Owner, reason and last day of a mute."""

    owner = forms.CharField(
        max_length=NAME_LENGTH, help_text="Who answers for it: a person or “@team”."
    )
    reason = forms.CharField(max_length=REASON_LENGTH)
    until = forms.DateField(
        label="Last day",
        help_text="At most 30 days from now; the day ends at 23:59 UTC.",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    @property
    def asked(self) -> MuteRequest:
        """What was asked for, once the form is valid."""
        told = self.cleaned_data
        until = datetime.combine(told["until"], END_OF_DAY, UTC)
        return MuteRequest(told["owner"], told["reason"], until)
