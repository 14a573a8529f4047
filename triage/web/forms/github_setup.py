"""The forms of the GitHub App: where to make one, and one that exists."""

from urllib.parse import urlsplit

from django import forms
from django.conf import settings

from triage.errors import InvalidRequestError
from triage.publish.forge import RefusedForgeError
from triage.publish.github.access import load_private_key
from triage.publish.github.addresses import API, WEB, api_url_of
from triage.publish.github.manifest import LONGEST_NAME, ORGANIZATION
from triage.publish.remote_addresses import check_forge_address


def default_name() -> str:
    """Return a name for the App; GitHub takes each one only once."""
    host = urlsplit(settings.TIEBREAK_URL).hostname or ""
    return f"Tiebreak {host}"[:LONGEST_NAME]


class BeginForm(forms.Form):
    """Where the App is to be made: for an organisation, on github.com or elsewhere."""

    organization = forms.CharField(
        required=False,
        max_length=39,
        label="Organisation",
        help_text="As in its address: github.com/ORGANISATION. Empty: your own account.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    address = forms.CharField(
        required=False,
        max_length=200,
        label="Address of your GitHub",
        help_text="Empty for github.com; https://HOST for an Enterprise Server, "
        "https://NAME.ghe.com with data residency.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "url"}),
    )
    name = forms.CharField(
        max_length=LONGEST_NAME,
        label="Name of the App",
        initial=default_name,
        help_text="Comments and checks bear it. GitHub takes each name only once.",
    )

    def clean_organization(self) -> str:
        """Refuse what cannot be the name of an organisation."""
        told = str(self.cleaned_data["organization"])
        if told and not ORGANIZATION.fullmatch(told):
            raise forms.ValidationError(
                f"An organisation's name has letters, digits and hyphens, got “{told}”."
            )
        return told

    def clean_address(self) -> str:
        """Refuse an address that is none, or that leads into the own network."""
        return _checked_address(self.cleaned_data["address"]) or WEB


class EnterForm(forms.Form):
    """An App that exists already."""

    app_id = forms.IntegerField(min_value=1, label="App ID", help_text="On the App's page.")
    private_key = forms.CharField(
        max_length=10_000,
        label="Private key",
        help_text="The whole .pem file that GitHub gave you. Stored encrypted, not shown again.",
        widget=forms.Textarea(
            attrs={"rows": 6, "autocomplete": "off", "spellcheck": "false", "class": "code"}
        ),
    )
    webhook_secret = forms.CharField(
        max_length=500,
        label="Webhook secret",
        help_text="The same as on the App's page. Stored encrypted, not shown again.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    client_secret = forms.CharField(
        required=False,
        max_length=500,
        label="Client secret",
        help_text="Lets people sign in with GitHub; empty: they do not. Made on the App's page. "
        "Stored encrypted, not shown again.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    address = forms.CharField(
        required=False,
        max_length=200,
        label="Address of your GitHub",
        help_text="Empty for github.com; https://HOST for an Enterprise Server.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "url"}),
    )

    def clean_private_key(self) -> str:
        """Refuse what is no RSA key in PEM form."""
        key = str(self.cleaned_data["private_key"]).strip() + "\n"
        try:
            load_private_key(key)
        except RefusedForgeError as error:
            raise forms.ValidationError(str(error)) from None
        return key

    def clean_address(self) -> str:
        """Refuse an address that is none, or that leads into the own network."""
        return _checked_address(self.cleaned_data["address"])

    @property
    def api_url(self) -> str:
        """The address of the API, once the form is valid."""
        address = self.cleaned_data["address"]
        return api_url_of(address) if address else API


def _checked_address(told: str) -> str:
    """Return the address of a GitHub's pages; empty for github.com."""
    if not told or told.rstrip("/") in {WEB, API}:
        return ""
    try:
        address = check_forge_address(told)
    except InvalidRequestError as error:
        raise forms.ValidationError(error.message) from None
    if urlsplit(address).path:
        raise forms.ValidationError(f"The address must end with the host name, got “{told}”.")
    return address
