"""The forms of accounts."""

from django import forms


class SignInForm(forms.Form):
    """Name and password."""

    name = forms.CharField(
        max_length=150, widget=forms.TextInput(attrs={"autocomplete": "username"})
    )
    password = forms.CharField(
        max_length=200,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class InvitationForm(forms.Form):
    """The password of a new account."""

    password = forms.CharField(
        max_length=200,
        strip=False,
        help_text="At least 12 characters, none of the common ones.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
