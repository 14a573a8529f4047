"""The form that chooses how verdicts are shown on a forge."""

from django import forms

from triage.models import ForgeSettings
from triage.models.repositories import FULL_NAME_LENGTH
from triage.publish.choosing import PublisherRequest, address_of
from triage.terms import PublisherKind

KINDS = {
    PublisherKind.GITHUB_CHECKS: "GitHub App: check runs and a comment",
    PublisherKind.GITHUB_STATUS: "GitHub with a token: commit status and a comment",
    PublisherKind.GITLAB: "GitLab with a token: commit status and a note",
    PublisherKind.NONE: "Nothing: these pages and CI alone",
}


class PublisherForm(forms.Form):
    """Kind, place and token."""

    kind = forms.ChoiceField(choices=list(KINDS.items()), label="Show verdicts by")
    address = forms.CharField(
        required=False,
        max_length=200,
        label="Address of the forge",
        help_text="For a token. Empty for github.com or gitlab.com; https://HOST for your own.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "url"}),
    )
    project = forms.CharField(
        required=False,
        max_length=FULL_NAME_LENGTH,
        label="Name there",
        help_text="OWNER/NAME or GROUP/NAME, if it is another one than here.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    token = forms.CharField(
        required=False,
        max_length=1_000,
        help_text="GitHub: commit statuses and pull requests, read and write. GitLab: scope api, "
        "role Developer. Tried, then stored encrypted; empty keeps the stored one.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )

    @property
    def asked(self) -> PublisherRequest:
        """What was asked for, once the form is valid."""
        told = self.cleaned_data
        kind = PublisherKind(told["kind"])
        return PublisherRequest(kind, told["address"], told["project"], told["token"])


def filled_in(chosen: ForgeSettings) -> dict[str, str]:
    """Return the form's fields as they were chosen; a token is never shown again."""
    return {"kind": chosen.kind, "project": chosen.project, "address": address_of(chosen)}
