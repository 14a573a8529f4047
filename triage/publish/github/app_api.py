"""What GitHub tells the App of itself: its rights, its installations, its deliveries."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

from triage.publish.github.access import AppKey, app_client, installation_client
from triage.publish.github.failures import translated

PER_PAGE = 100
# An installation may reach every repository of a large organisation.
MOST_PAGES = 50
READING = {"metadata": "read"}
SUCCESS = range(200, 300)


@dataclass(frozen=True, slots=True)
class AppRights:
    """The App as GitHub has it."""

    name: str
    slug: str
    client_id: str
    html_url: str
    permissions: Mapping[str, str]
    events: Sequence[str]


@dataclass(frozen=True, slots=True)
class InstallationRights:
    """An account that installed the App; it may have granted less than the App asks for by now."""

    github_id: int
    account: str
    html_url: str
    permissions: Mapping[str, str]
    is_suspended: bool
    reaches_all: bool
    updated_at: str


@dataclass(frozen=True, slots=True)
class HookDelivery:
    """A delivery as GitHub remembers it; a redelivery has the same guid and a number of its own."""

    id: int
    guid: str
    event: str
    action: str
    status: str
    status_code: int
    is_redelivery: bool
    at: datetime

    @property
    def is_good(self) -> bool:
        """Whether we answered that it came in."""
        return self.status_code in SUCCESS


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How many requests an installation has left until a time."""

    left: int
    limit: int
    until: datetime


def read_app(key: AppKey) -> AppRights:
    """Return what GitHub has of the App; also the proof that id and key belong together."""
    told = _as_app(key, "/app")
    return AppRights(
        name=told["name"],
        slug=told["slug"],
        client_id=told.get("client_id") or "",
        html_url=told["html_url"],
        permissions=told["permissions"],
        events=told["events"],
    )


def read_installations(key: AppKey) -> list[InstallationRights]:
    """Return every installation of the App."""
    return [
        InstallationRights(
            github_id=each["id"],
            account=each["account"].get("login") or each["account"].get("slug") or "",
            html_url=each["html_url"],
            permissions=each["permissions"],
            is_suspended=each["suspended_at"] is not None,
            reaches_all=each["repository_selection"] == "all",
            updated_at=str(each["updated_at"]),
        )
        for page in pages(lambda number: _as_app(key, "/app/installations", page=number))
        for each in page
    ]


def read_repositories(key: AppKey, installation: int) -> list[dict[str, Any]]:
    """Return the repositories that an installation reaches, with number and name."""
    client = installation_client(key, installation, None, READING)

    def read(number: int) -> list[dict[str, Any]]:
        _, told = client.requester.requestJsonAndCheck(
            "GET",
            "/installation/repositories",
            parameters={"per_page": PER_PAGE, "page": number},
        )
        return list(told["repositories"])

    with translated():
        return [each for page in pages(read) for each in page]


def read_rate_limit(key: AppKey, installation: int) -> RateLimit:
    """Return what an installation has left; asking costs nothing."""
    client = installation_client(key, installation, None, READING)
    with translated():
        _, told = client.requester.requestJsonAndCheck("GET", "/rate_limit")
    core = told["resources"]["core"]
    until = datetime.fromtimestamp(core["reset"]).astimezone()
    return RateLimit(core["remaining"], core["limit"], until)


def read_deliveries(
    key: AppKey, most_pages: int, per_page: int = PER_PAGE
) -> Iterator[HookDelivery]:
    """Yield the deliveries of the App's hook, the newest first."""
    cursor: dict[str, Any] = {}
    for _ in range(most_pages):
        with translated():
            headers, told = app_client(key).requester.requestJsonAndCheck(
                "GET", "/app/hook/deliveries", parameters={"per_page": per_page, **cursor}
            )
        yield from (_delivery(each) for each in told)
        following = _next_cursor(headers.get("link", ""))
        if not following:
            return
        cursor = {"cursor": following}


def redeliver(key: AppKey, delivery: int) -> None:
    """Ask GitHub to deliver once more."""
    with translated():
        app_client(key).requester.requestJsonAndCheck(
            "POST", f"/app/hook/deliveries/{delivery}/attempts"
        )


def pages(read: Callable[[int], list[dict[str, Any]]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the pages of a list until one is not full; ``read`` returns a page by its number."""
    for number in range(1, MOST_PAGES + 1):
        page = read(number)
        yield page
        if len(page) < PER_PAGE:
            return


def _as_app(key: AppKey, path: str, **parameters: Any) -> Any:
    asked = {"per_page": PER_PAGE, **parameters} if parameters else None
    with translated():
        return app_client(key).requester.requestJsonAndCheck("GET", path, parameters=asked)[1]


def _delivery(told: Mapping[str, Any]) -> HookDelivery:
    return HookDelivery(
        id=told["id"],
        guid=told["guid"],
        event=told["event"],
        action=told["action"] or "",
        status=told["status"],
        status_code=told["status_code"],
        is_redelivery=told["redelivery"],
        at=datetime.fromisoformat(told["delivered_at"]),
    )


def _next_cursor(link: str) -> str:
    """Return the cursor of the next page from a Link header; empty on the last page."""
    for part in link.split(","):
        address, _, relation = part.partition(";")
        if 'rel="next"' in relation:
            return parse_qs(urlsplit(address.strip(" <>")).query).get("cursor", [""])[0]
    return ""
