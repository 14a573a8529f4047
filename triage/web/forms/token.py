"""The forms that make a token and give one a new secret."""

from datetime import datetime, timedelta

from django import forms
from django.utils import timezone

from triage.upload.token_changes import GRACE
from triage.upload.tokens import NAME_LENGTH, UPLOAD_AND_READ

SCOPES = {
    "upload": "upload: send reports",
    "read": "read: runs, cases, budgets and questions over the API",
    "decide": "decide: answer questions and mute cases over the API",
}
DAYS = {"30": "30 days", "90": "90 days", "365": "a year", "": "no end"}
HOUR = timedelta(hours=1)
GRACES = {"24": "1 day", "1": "1 hour", "168": "7 days", "0": "not at all: the secret leaked"}


class TokenForm(forms.Form):
    """Name, scopes and end of a new token."""

    name = forms.CharField(
        max_length=NAME_LENGTH,
        help_text="Where it will be used, such as “GitHub Actions”.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    days = forms.ChoiceField(
        choices=list(DAYS.items()), initial="365", required=False, label="Works for"
    )
    scopes = forms.MultipleChoiceField(
        choices=list(SCOPES.items()),
        initial=list(UPLOAD_AND_READ),
        widget=forms.CheckboxSelectMultiple,
        label="May",
        error_messages={"required": "Choose at least one thing that it may do."},
    )

    @property
    def expires_at(self) -> datetime | None:
        """When the token ends, once the form is valid; ``None`` for never."""
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=int(days)) if days else None


class RotationForm(forms.Form):
    """For how long the old secret still works."""

    grace = forms.ChoiceField(
        choices=list(GRACES.items()),
        initial=str(GRACE // HOUR),
        label="The old secret still works for",
    )

    @property
    def asked(self) -> timedelta:
        """The grace time, once the form is valid."""
        return int(self.cleaned_data["grace"]) * HOUR
