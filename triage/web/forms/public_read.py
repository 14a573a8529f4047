"""The form that opens a repository's pages to everybody."""

from django import forms


class PublicReadForm(forms.Form):
    """One box."""

    is_public = forms.BooleanField(
        required=False,
        label="Everybody may read",
        help_text="Runs, cases, labels and failure texts, without an account. Settings and "
        "notifications stay with members, the log of changes with admins.",
    )
