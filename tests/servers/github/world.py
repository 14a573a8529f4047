"""What the fake GitHub holds: an App, an installation, repositories with pull requests and runs."""

import copy
import itertools
import json
import random
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.servers.github.description import DATA

APP_ID = 4242
SLUG = "tiebreak-test"
INSTALLATION = 77
WEBHOOK_SECRET = "hook-secret"
CLIENT_ID = "Iv1.0123456789abcdef"
CLIENT_SECRET = "client-secret"
SIGN_IN_CALLBACK = "http://127.0.0.1:8000/sign-in/github/callback/"
PERMISSIONS = {
    "checks": "write", "pull_requests": "write", "contents": "read", "actions": "write",
    "metadata": "read",
}  # fmt: skip
EVENTS = ["check_run", "pull_request", "push"]


class RefusalError(Exception):
    """An answer of GitHub that is no success."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.body = {"message": message, "documentation_url": "https://docs.github.com/rest"}


@dataclass
class Repository:
    """A repository with what the App sees of it; dictionaries are by number."""

    id: int
    full_name: str
    commits: set[str] = field(default_factory=set)
    # What is made of a pull request for CI to test, with its two parents: base and head.
    merges: dict[str, tuple[str, str]] = field(default_factory=dict)
    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    checks: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    workflow_runs: dict[int, dict[str, Any]] = field(default_factory=dict)
    artifacts: dict[int, dict[str, Any]] = field(default_factory=dict)
    # The newest first.
    statuses: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    default_branch: str = "main"
    # The head of the default branch; the first commit, if nothing else is said.
    head: str = ""
    # Permission per login: none, read, triage, write, maintain, admin.
    people: dict[str, str] = field(default_factory=dict)
    # Whether everybody may read it.
    is_public: bool = False


class Chaos:
    """Faults at random, the same ones for the same seed."""

    ANSWERS = (
        RefusalError(502, "Server Error"),
        RefusalError(403, "You have exceeded a secondary rate limit.", retry_after="7"),
        RefusalError(429, "Too many requests"),
        # The line is dropped.
        None,
    )

    def __init__(self, seed: int, share: float) -> None:
        self.random, self.share = random.Random(seed), share
        # Each answer, before and after the work is done: none comes again before the others came.
        self.deck: list[tuple[RefusalError | None, bool]] = []
        self.done = 0

    def fault(self) -> tuple[str, RefusalError | None, bool] | None:
        """Return what goes wrong with a request; ``None`` when all is well."""
        if self.random.random() >= self.share:
            return None
        if not self.deck:
            self.deck = list(itertools.product(self.ANSWERS, (True, False)))
            self.random.shuffle(self.deck)
        self.done += 1
        return "", *self.deck.pop()


class World:
    """The state of the fake and the rules that the description does not carry."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.lock = threading.RLock()
        self.numbers = itertools.count(1_001)
        self.repositories: dict[str, Repository] = {}
        self.tokens: dict[str, dict[str, Any]] = {}
        self.is_suspended = False
        # What the account granted when it installed the App.
        self.granted = dict(PERMISSIONS)
        self.manifests: dict[str, dict[str, Any]] = {}
        self.deliveries: dict[int, dict[str, Any]] = {}
        # Where a person is led back to after installing the App.
        self.setup_url = ""
        # Guids that were delivered again, and what answer the next one gets.
        self.redelivered: list[str] = []
        self.redelivery_status = 202
        # What the App asks for, and what its installation granted.
        self.permissions: dict[str, str] = dict(PERMISSIONS)
        self.granted: dict[str, str] = dict(PERMISSIONS)
        self.events: list[str] = list(EVENTS)
        # Where people may be led back to after they signed in.
        self.callback_urls = [SIGN_IN_CALLBACK]
        # Who sits before the browser, None for somebody who does not agree; what was agreed to.
        self.at_browser: str | None = None
        self.consents: dict[str, Any] = {}
        # Number and public e-mail address per login.
        self.accounts: dict[str, tuple[int, str | None]] = {}
        # Requests as (method, path, status, violations).
        self.log: deque[tuple[str, str, int, list[str]]] = deque(maxlen=20_000)
        # Faults to come: (pattern, what is answered or None for a dropped line, after the work).
        self.faults: list[tuple[str, RefusalError | None, bool]] = []
        # How much of the rest goes wrong at random; nothing, unless a test wants it.
        self.chaos: Chaos | None = None

    def add_repository(self, full_name: str, *commits: str) -> Repository:
        """Add a repository that the installation reaches."""
        made = Repository(next(self.numbers), full_name, set(commits), head="".join(commits[:1]))
        self.repositories[full_name.lower()] = made
        return made

    def user(self, login: str) -> dict[str, Any]:
        """Return a person as GitHub shows one."""
        number, email = self.accounts.get(login, (1, None))
        return self.example("user") | {"login": login, "id": number, "email": email}

    @property
    def web(self) -> str:
        """The address of the pages."""
        return self.base.removesuffix("/api/v3")

    def add_delivery(
        self, guid: str, event: str, status: int, *, is_redelivery: bool = False
    ) -> None:
        """Remember a delivery that was answered with a status; 0 for no answer."""
        number = next(self.numbers)
        self.deliveries[number] = {
            "id": number, "guid": guid, "delivered_at": now(), "redelivery": is_redelivery,
            "duration": 0.1, "status": "OK" if 200 <= status < 300 else "Invalid HTTP Response",
            "status_code": status, "event": event, "action": None,
            "installation_id": INSTALLATION, "repository_id": None,
        }  # fmt: skip

    def repository(self, repository: Repository) -> dict[str, Any]:
        """Return a repository as GitHub shows it."""
        told = self.example("repo") | {"id": repository.id, "full_name": repository.full_name}
        name = repository.full_name.rsplit("/", 1)[-1]
        address = f"{self.base}/repos/{repository.full_name}"
        branch = repository.default_branch
        return told | {"name": name, "url": address, "default_branch": branch}

    def violations(self) -> list[str]:
        """Return everything that broke the description, on either side."""
        return [f"{method} {path}: {each}" for method, path, _, wrong in self.log for each in wrong]

    def example(self, kind: str) -> dict[str, Any]:
        """Return an object as GitHub's description shows it, with our addresses."""
        text = json.dumps(_examples()[kind]).replace("https://api.github.com", self.base)
        made: dict[str, Any] = json.loads(text)
        return made

    def app(self) -> dict[str, Any]:
        """Return the App as others see it."""
        made = self.example("integration")
        for secret in ("client_secret", "pem", "webhook_secret"):
            made.pop(secret, None)
        return (
            made
            | {"id": APP_ID, "slug": SLUG, "name": SLUG}
            | {
                "html_url": f"{self.web}/apps/{SLUG}",
                "permissions": self.permissions,
                "events": self.events,
            }
        )

    def check(self, repository: Repository, check: dict[str, Any]) -> dict[str, Any]:
        """Return a check run as GitHub shows it."""
        address = f"{self.base}/repos/{repository.full_name}/check-runs/{check['id']}"
        output = check.get("output") or {}
        names = ("id", "name", "head_sha", "status", "conclusion", "started_at", "completed_at")
        return {name: check.get(name) for name in names} | {
            "node_id": f"CR_{check['id']}",
            "external_id": check.get("external_id") or "",
            "url": address,
            "html_url": f"https://github.com/{repository.full_name}/runs/{check['id']}",
            "details_url": "https://tiebreak.example",
            "app": self.app() | {"id": check["app"]},
            "pull_requests": [],
            "check_suite": {"id": 1},
            "output": {
                "title": output.get("title"),
                "summary": output.get("summary"),
                "text": output.get("text"),
                "annotations_count": len(check["annotations"]),
                "annotations_url": f"{address}/annotations",
            },
        }

    def workflow_run(self, repository: Repository, run: dict[str, Any]) -> dict[str, Any]:
        """Return a workflow run as GitHub shows it."""
        address = f"{self.base}/repos/{repository.full_name}/actions/runs/{run['id']}"
        names = ("id", "head_sha", "status", "conclusion", "run_attempt")
        return self.example("workflow_run") | {name: run[name] for name in names} | {"url": address}

    def artifact(self, repository: Repository, artifact: dict[str, Any]) -> dict[str, Any]:
        """Return an artifact as GitHub shows it."""
        address = f"{self.base}/repos/{repository.full_name}/actions/artifacts/{artifact['id']}"
        names = ("id", "name", "size_in_bytes", "expired")
        return (
            self.example("artifact")
            | {name: artifact[name] for name in names}
            | {
                "url": address,
                "archive_download_url": f"{address}/zip",
            }
        )

    def comment(self, repository: Repository, comment: dict[str, Any]) -> dict[str, Any]:
        """Return a comment as GitHub shows it."""
        issues = f"{self.base}/repos/{repository.full_name}/issues"
        made = self.example("comment")
        author = made["user"] | {"login": comment["author"], "type": "Bot"}
        names = ("id", "body", "created_at", "updated_at")
        return (
            made
            | {name: comment[name] for name in names}
            | {
                "node_id": f"IC_{comment['id']}",
                "user": author,
                "url": f"{issues}/comments/{comment['id']}",
                "issue_url": f"{issues}/{comment['issue']}",
                "html_url": f"https://github.com/{repository.full_name}/pull/{comment['issue']}",
                "performed_via_github_app": self.app(),
            }
        )


def now() -> str:
    """Return the time as GitHub writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@cache
def private_key() -> str:
    """Return the App's key, made once for all tests."""
    made = rsa.generate_private_key(65537, 2048)
    kind = serialization.PrivateFormat.TraditionalOpenSSL
    return made.private_bytes(
        serialization.Encoding.PEM, kind, serialization.NoEncryption()
    ).decode()


@cache
def public_key() -> Any:
    """Return the other half of the App's key."""
    return serialization.load_pem_private_key(private_key().encode(), None).public_key()


def check_app_token(token: str) -> None:
    """Refuse what GitHub refuses of an App that shows who it is."""
    try:
        claims = jwt.decode(
            token, public_key(), algorithms=["RS256"], options={"verify_iat": False}
        )
    except jwt.PyJWTError as error:
        raise RefusalError(401, "A JSON web token could not be decoded") from error
    if claims["exp"] - time.time() > 600:
        raise RefusalError(401, "'Expiration time' claim ('exp') is too far in the future")
    if str(claims["iss"]) != str(APP_ID):
        raise RefusalError(404, "Integration not found")


@cache
def _examples() -> dict[str, Any]:
    return copy.deepcopy(json.loads((DATA / "objects.json").read_text()))
