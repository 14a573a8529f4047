"""The forms of the page of members."""

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator

from triage.models.choices import choices
from triage.models.members import NAME_LENGTH
from triage.terms import Role


class RoleForm(forms.Form):
    """A role."""

    role = forms.ChoiceField(choices=choices(Role), initial=Role.VIEWER)

    @property
    def chosen(self) -> Role:
        """The role, once the form is valid."""
        return Role(self.cleaned_data["role"])


class InvitationForm(RoleForm):
    """Who is let in, and with which role."""

    field_order = ("name", "role")
    name = forms.CharField(
        max_length=NAME_LENGTH,
        validators=[UnicodeUsernameValidator()],
        help_text="The name that the person signs in with. Whoever has no account yet gets a link "
        "that makes one.",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
