"""The form that adds a channel."""

from datetime import time

from django import forms

from triage.notifications.channels import EVENTS, NAME_LENGTH, ChannelRequest
from triage.notifications.message import TITLES
from triage.notifications.web_addresses import MOST_CHARACTERS
from triage.terms import ChannelKind, Digest, NotificationEvent

KINDS = {
    ChannelKind.EMAIL: "E-mail",
    ChannelKind.SLACK: "Chat room (Slack's incoming webhooks)",
    ChannelKind.WEBHOOK: "Webhook (signed JSON)",
}
DIGESTS = {
    Digest.NONE: "at once",
    Digest.HOURLY: "bundled every hour",
    Digest.DAILY: "bundled every day at 9:00",
}


class ChannelForm(forms.Form):
    """Name, kind, target and rhythm of a new channel."""

    name = forms.CharField(max_length=NAME_LENGTH, help_text="What to call it, such as “on-call”.")
    kind = forms.ChoiceField(choices=list(KINDS.items()))
    target = forms.CharField(
        max_length=MOST_CHARACTERS,
        label="E-mail address or URL",
        help_text="Stored encrypted and not shown again.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    digest = forms.ChoiceField(choices=list(DIGESTS.items()), label="When")
    quiet_from = forms.TimeField(
        required=False, widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    )
    quiet_until = forms.TimeField(
        required=False, widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    )
    time_zone = forms.CharField(
        initial="UTC",
        max_length=64,
        help_text="Such as Europe/Berlin; for digests and quiet hours.",
    )
    events = forms.MultipleChoiceField(
        choices=[(event.value, TITLES[event]) for event in EVENTS],
        initial=[event.value for event in EVENTS],
        widget=forms.CheckboxSelectMultiple,
        label="Tell it of",
    )
    tells_all_branches = forms.BooleanField(
        required=False, label="Runs of every branch, not of the default branch only"
    )

    def clean(self) -> None:
        """Quiet hours have both ends or none."""
        if (self.cleaned_data.get("quiet_from") is None) != (
            self.cleaned_data.get("quiet_until") is None
        ):
            self.add_error("quiet_until", "Quiet hours need a beginning and an end.")

    @property
    def asked(self) -> ChannelRequest:
        """What was asked for, once the form is valid."""
        told = self.cleaned_data
        quiet: tuple[time, time] | None = None
        if told["quiet_from"] is not None:
            quiet = (told["quiet_from"], told["quiet_until"])
        return ChannelRequest(
            name=told["name"],
            kind=ChannelKind(told["kind"]),
            target=told["target"],
            events=[NotificationEvent(event) for event in told["events"]],
            tells_all_branches=told["tells_all_branches"],
            digest=Digest(told["digest"]),
            quiet=quiet,
            time_zone=told["time_zone"],
        )
