"""Enter the App: made by a manifest or typed in, its secrets are stored encrypted."""

from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone

from triage.models import GitHubApp, Installation
from triage.publish.github.access import AppKey
from triage.publish.github.addresses import web_url_of
from triage.publish.github.app_api import read_app
from triage.publish.github.manifest import make_app
from triage.publish.outbox import try_again
from triage.sealing import seal


@dataclass(frozen=True, slots=True)
class EnteredApp:
    """An App as it is entered."""

    app_id: int
    slug: str
    api_url: str
    html_url: str
    private_key: str = field(repr=False)
    webhook_secret: str = field(repr=False)
    client_id: str = ""
    client_secret: str = field(default="", repr=False)


def enter(entered: EnteredApp) -> GitHubApp:
    """Store an App in the place of the one before it, whose installations are over."""
    with transaction.atomic():
        replaced, _ = GitHubApp.objects.exclude(
            app_id=entered.app_id, api_url=entered.api_url
        ).delete()
        if replaced:
            Installation.objects.filter(removed_at__isnull=True).update(removed_at=timezone.now())
        # One that was told before stays: an App made here is entered again without it.
        client_secret = (
            {"sealed_client_secret": seal(entered.client_secret)} if entered.client_secret else {}
        )
        app, _ = GitHubApp.objects.update_or_create(
            app_id=entered.app_id,
            defaults={
                "slug": entered.slug,
                "client_id": entered.client_id,
                "api_url": entered.api_url,
                "html_url": entered.html_url,
                "sealed_private_key": seal(entered.private_key),
                "sealed_webhook_secret": seal(entered.webhook_secret),
                **client_secret,
            },
        )
        # What GitHub would not take with the key before.
        try_again()
    return app


def enter_made(api_url: str, code: str) -> str:
    """Store the App that GitHub has just made; return the address at which it is installed."""
    made = make_app(api_url, code)
    enter(
        EnteredApp(
            app_id=made.app_id,
            slug=made.slug,
            api_url=api_url,
            html_url=web_url_of(api_url),
            private_key=made.private_key,
            webhook_secret=made.webhook_secret,
            client_id=made.client_id,
            client_secret=made.client_secret,
        )
    )
    return f"{made.html_url}/installations/new"


def enter_by_hand(
    app_id: int, private_key: str, webhook_secret: str, api_url: str, client_secret: str = ""
) -> GitHubApp:
    """Store an App that exists, once GitHub has recognised it by its key."""
    told = read_app(AppKey(app_id, private_key, api_url))
    return enter(
        EnteredApp(
            app_id=app_id,
            slug=told.slug,
            api_url=api_url,
            html_url=web_url_of(api_url),
            private_key=private_key,
            webhook_secret=webhook_secret,
            client_id=told.client_id,
            client_secret=client_secret,
        )
    )
