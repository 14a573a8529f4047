"""The form that decides a question. It offers no way to call a flip a flake."""

from typing import Any

from django import forms

from triage.models import Escalation
from triage.models.decisions import WHY_LENGTH
from triage.terms import DecisionKind
from triage.verdict.escalations.deciding import REFUSED, Answer
from triage.web.template_tags import plain

KINDS = {
    DecisionKind.UPHOLD: "Uphold: the flip is a regression, and blocks",
    DecisionKind.ACCEPT_LABEL: "Accept a label: it is right from now on, the test will be changed",
    DecisionKind.REGISTER_TIE_BREAK: "Ambiguous: a tie-break is committed to the policy",
    DecisionKind.DEFER: "Defer: runs stay on hold until then",
}


class DecisionForm(forms.Form):
    """Kind, reason, and what the kind asks for."""

    kind = forms.ChoiceField(
        choices=list(KINDS.items()),
        widget=forms.RadioSelect,
        error_messages={"invalid_choice": f"Not possible: {REFUSED}."},
    )
    label = forms.ChoiceField(required=False, help_text="For accepting: the label that is right.")
    until = forms.DateTimeField(
        required=False,
        help_text="For deferring, UTC.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    why = forms.CharField(
        max_length=WHY_LENGTH,
        help_text="What decided it; it is kept with your name.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, escalation: Escalation, *args: Any, **kwargs: Any) -> None:
        """Offer the two labels that are in question."""
        super().__init__(*args, **kwargs)
        pair = (escalation.first_label, escalation.second_label)
        label = self.fields["label"]
        if isinstance(label, forms.ChoiceField):
            label.choices = [("", "none"), *((each, plain(each)) for each in pair)]

    @property
    def answer(self) -> Answer:
        """What was filled in."""
        told = self.cleaned_data
        return Answer(told["kind"], told["why"], told["label"], told["until"])
