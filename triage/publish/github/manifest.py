"""Make the App out of a manifest, so that nobody copies keys about.

https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from triage.errors import InvalidRequestError
from triage.publish.github.access import anonymous_client
from triage.publish.github.failures import translated
from triage.publish.github.rights import EVENTS, wanted_permissions

CODE = re.compile(r"[A-Za-z0-9_.-]{1,200}")
ORGANIZATION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
LONGEST_NAME = 34
# Where GitHub leads a person back to who signs in by the App.
SIGN_IN_CALLBACK = "/sign-in/github/callback/"
DESCRIPTION = (
    "Tells expected flakes of tests that call LLMs from label-level regressions, on every pull "
    "request."
)


@dataclass(frozen=True, slots=True)
class MadeApp:
    """An App that GitHub made, with secrets that it tells this once."""

    app_id: int
    slug: str
    client_id: str
    html_url: str
    client_secret: str = field(repr=False)
    private_key: str = field(repr=False)
    webhook_secret: str = field(repr=False)


def manifest(name: str, our_url: str) -> dict[str, Any]:
    """Return the description of the App that GitHub is asked to make."""
    return {
        "name": name[:LONGEST_NAME],
        "url": our_url,
        "description": DESCRIPTION,
        "public": False,
        "hook_attributes": {"url": f"{our_url}/webhooks/github/", "active": True},
        "redirect_url": f"{our_url}/setup/github/made/",
        "callback_urls": [f"{our_url}{SIGN_IN_CALLBACK}"],
        "setup_url": f"{our_url}/setup/github/",
        "setup_on_update": True,
        "default_permissions": wanted_permissions(),
        "default_events": list(EVENTS),
    }


def new_app_url(web_url: str, organization: str, state: str) -> str:
    """Return where a manifest is posted to; raise ``InvalidRequestError`` for no organisation."""
    if organization and not ORGANIZATION.fullmatch(organization):
        raise InvalidRequestError(
            "the organisation must be its name as in its address: letters, digits and hyphens, "
            f"got {organization[:80]!r}"
        )
    owner = f"/organizations/{organization}" if organization else ""
    return f"{web_url}{owner}/settings/apps/new?state={quote(state)}"


def make_app(api_url: str, code: str) -> MadeApp:
    """Exchange the code that GitHub sent back with; it works once and for an hour."""
    if not CODE.fullmatch(code):
        raise InvalidRequestError("the code must be the one that GitHub sent back with")
    with translated():
        _, told = anonymous_client(api_url).requester.requestJsonAndCheck(
            "POST", f"/app-manifests/{code}/conversions"
        )
    return MadeApp(
        app_id=told["id"],
        slug=told["slug"],
        client_id=told["client_id"],
        html_url=told["html_url"],
        client_secret=told["client_secret"],
        private_key=told["pem"],
        webhook_secret=told["webhook_secret"] or "",
    )
