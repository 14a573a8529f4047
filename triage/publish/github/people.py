"""What a person may do on GitHub: asked with a token of their own, or as the App.

https://docs.github.com/rest/apps/installations
https://docs.github.com/rest/collaborators/collaborators
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from github import Github

from triage.publish.github.access import token_client
from triage.publish.github.app_api import PER_PAGE, pages
from triage.publish.github.failures import translated

# GitHub's names in a listing and those that it has everywhere else, the highest first.
PERMISSIONS = {
    "admin": "admin",
    "maintain": "maintain",
    "push": "write",
    "triage": "triage",
    "pull": "read",
}


@dataclass(frozen=True, slots=True)
class Reached:
    """A repository in which the App is installed, and what a person may do there."""

    github_id: int
    permission: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Who has a name on GitHub now, and what they may do in a repository."""

    number: int
    # By the name of the role, and by the older form, which knows no roles of an organisation's own.
    permissions: tuple[str, str]


def read_standing(client: Github, full_name: str, login: str) -> Standing:
    """Return what the bearer of a name may do; raise ``GoneForgeError`` for who is no collaborator.

    Everybody may read a public repository, which gives nobody a part in it.
    """
    path = f"/repos/{full_name}/collaborators/{quote(login, safe='')}"
    with translated():
        _, told = client.requester.requestJsonAndCheck("GET", f"{path}/permission")
        if told["permission"] == "read":
            client.requester.requestJsonAndCheck("GET", path)
    return Standing(told["user"]["id"], (told.get("role_name", ""), told["permission"]))


def read_reached(api_url: str, token: str) -> list[Reached]:
    """Return what a person reaches of the App's installations; the token is theirs."""
    with translated():
        return [
            Reached(told["id"], _highest(told.get("permissions") or {}))
            for installation in _listed(api_url, token, "/user/installations", "installations")
            for told in _listed(
                api_url,
                token,
                f"/user/installations/{installation['id']}/repositories",
                "repositories",
            )
        ]


def _listed(api_url: str, token: str, path: str, name: str) -> Iterator[dict[str, Any]]:
    requester = token_client(token, api_url).requester

    def read(number: int) -> list[dict[str, Any]]:
        asked = {"per_page": PER_PAGE, "page": number}
        return list(requester.requestJsonAndCheck("GET", path, parameters=asked)[1][name])

    for page in pages(read):
        yield from page


def _highest(permissions: Mapping[str, bool]) -> str:
    held = (PERMISSIONS[name] for name in PERMISSIONS if permissions.get(name))
    return next(held, "none")
