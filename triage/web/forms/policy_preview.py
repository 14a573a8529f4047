"""The form that asks what another policy would have made of past runs."""

import hashlib

from django import forms

from triage.policy.reading import LARGEST_BYTES, PolicyError, decode, read_policy
from triage.policy.stored import PolicyInForce

USUAL_RUNS = 50
MOST_RUNS = 200


class PolicyPreviewForm(forms.Form):
    """A policy as it would be committed, and how many of the newest runs are judged by it."""

    policy = forms.CharField(
        label="The changed .tiebreak.yml",
        max_length=LARGEST_BYTES,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 16, "spellcheck": "false", "autocapitalize": "none", "wrap": "off"}
        ),
        error_messages={"required": "Paste the whole file, beginning with “version: 1”."},
    )
    runs = forms.IntegerField(
        label="Newest runs",
        min_value=1,
        max_value=MOST_RUNS,
        initial=USUAL_RUNS,
        help_text=f"At most {MOST_RUNS}; 50 take some seconds, while uploads wait.",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )

    def read(self) -> tuple[PolicyInForce | None, tuple[PolicyError, ...]]:
        """Return the policy of a valid form, or every error in it as the checker tells it."""
        body = self.cleaned_data["policy"].replace("\r\n", "\n").encode()
        text, refusal = decode(body)
        reading = refusal or read_policy(text)
        if reading.policy is None:
            return None, reading.errors
        return PolicyInForce(reading.policy, hashlib.sha256(body).hexdigest(), None, text), ()
