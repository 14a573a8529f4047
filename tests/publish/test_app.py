"""Where the GitHub App comes from."""

from typing import Any

import pytest

from triage.errors import UnreadableSecretError
from triage.models import GitHubApp
from triage.publish.app import github_app
from triage.publish.github.addresses import api_url_of, web_url_of
from triage.sealing import new_key, seal

pytestmark = pytest.mark.django_db


def enter_app() -> None:
    """Store an App."""
    GitHubApp.objects.create(
        app_id=1,
        slug="stored",
        sealed_private_key=seal("stored key"),
        sealed_webhook_secret=seal("stored hook"),
    )


def test_without_an_app_there_is_none() -> None:
    assert github_app() is None


def test_the_stored_app_is_read_with_its_secrets() -> None:
    enter_app()

    app = github_app()

    assert app and not app.is_from_environment
    assert (app.private_key.read(), app.webhook_secret.read()) == ("stored key", "stored hook")
    assert "stored key" not in repr(app)


def test_the_environment_wins_over_what_is_stored(settings: Any) -> None:
    enter_app()
    settings.GITHUB_APP_ID, settings.GITHUB_APP_SLUG = 2, "told"
    settings.GITHUB_PRIVATE_KEY, settings.GITHUB_WEBHOOK_SECRET = "told key", "told hook"
    settings.GITHUB_API_URL = "https://github.acme.example/api/v3"

    app = github_app()

    assert app and app.is_from_environment
    assert (str(app), app.html_url) == ("told (2)", "https://github.acme.example")
    assert app.private_key.read() == "told key"
    assert "told key" not in repr(app)


def test_a_lost_key_is_told_by_whoever_reads_and_not_before(settings: Any) -> None:
    settings.FIELD_KEYS = [new_key()]
    enter_app()
    settings.FIELD_KEYS = []

    app = github_app()

    assert app
    with pytest.raises(UnreadableSecretError, match="none of FIELD_KEYS decrypts it"):
        app.webhook_secret.read()


@pytest.mark.parametrize(
    ("web", "api"),
    [
        ("https://github.com", "https://api.github.com"),
        ("https://acme.ghe.com", "https://api.acme.ghe.com"),
        ("https://github.acme.example:8443", "https://github.acme.example:8443/api/v3"),
    ],
)
def test_pages_and_api_of_one_github_belong_together(web: str, api: str) -> None:
    assert api_url_of(web) == api
    assert web_url_of(api) == web
