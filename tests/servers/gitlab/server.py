"""The fake GitLab over HTTP: projects, commit statuses, and notes on merge requests."""

import itertools
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.servers.gitlab.documented import OPERATIONS
from tests.servers.ports import LOOPBACK

PREFIX = "/api/v4"
TOKEN = "glpat-0123456789"
ACCOUNT = {"id": 31, "username": "tiebreak", "name": "Tiebreak", "state": "active"}
AT = "2026-10-02T12:00:00.000Z"
OPEN_STATES = ("pending", "running")


class RefusalError(Exception):
    """An answer of GitLab that is no success."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.body = status, {"message": message}
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass
class World:
    """The state of one project on the fake."""

    base: str
    project: str
    commits: set[str] = field(default_factory=set)
    merge_requests: set[int] = field(default_factory=set)
    statuses: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[int, dict[str, Any]] = field(default_factory=dict)
    # Faults to come: (pattern, what is answered or None for a dropped line, after the work).
    faults: list[tuple[str, RefusalError | None, bool]] = field(default_factory=list)
    # Requests as (method, path, status, violations).
    log: list[tuple[str, str, int, list[str]]] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(501))

    @property
    def web(self) -> str:
        """The address of the pages."""
        return self.base.removesuffix(PREFIX)

    def violations(self) -> list[str]:
        """Return everything that GitLab does not document."""
        return [f"{method} {path}: {each}" for method, path, _, wrong in self.log for each in wrong]

    def add_note(self, iid: int, body: str, account: Mapping[str, Any] = ACCOUNT) -> dict[str, Any]:
        """Add a note of an account."""
        number = next(self.numbers)
        made = {
            "id": number, "body": body, "author": dict(account), "created_at": AT,
            "updated_at": AT, "system": False, "noteable_type": "MergeRequest",
            "noteable_iid": iid, "resolvable": False, "internal": False,
        }  # fmt: skip
        self.notes[number] = made
        return made


class Handler(BaseHTTPRequestHandler):
    """Answers as GitLab would, or as a fault wants it."""

    protocol_version = "HTTP/1.1"
    world: World

    def log_message(self, *told: Any) -> None:
        """Keep the tests' output free of it."""

    def answer(self) -> None:
        """Take one request."""
        url = urlsplit(self.path)
        path, query = url.path.removeprefix(PREFIX), dict(parse_qsl(url.query))
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        wrong: list[str] = []
        headers: dict[str, str] = {}
        status, shown = 0, None
        try:
            with self.world.lock:
                fault = self._fault(path)
                if fault and not fault[2]:
                    self._refuse(fault[1])
                status, shown = self._work(path, query, json.loads(raw) if raw else None, wrong)
                if fault:
                    self._refuse(fault[1])
        except RefusalError as refusal:
            status, shown, headers = refusal.status, refusal.body, refusal.headers
        except ConnectionAbortedError:
            self.close_connection = True
            return
        finally:
            self.world.log.append((self.command, path, status, wrong))
        self._send(status, shown, headers)

    do_GET = do_POST = do_PUT = answer  # noqa: N815 - the names that the base class calls

    def _work(
        self, path: str, query: dict[str, str], body: Any, wrong: list[str]
    ) -> tuple[int, Any]:
        if self.headers.get("PRIVATE-TOKEN") != TOKEN:
            raise RefusalError(401, "401 Unauthorized")
        for operation in OPERATIONS:
            match = operation.match(self.command, path)
            if match:
                wrong += operation.wrong(query, body)
                if wrong:
                    raise RefusalError(400, "; ".join(wrong))
                told = {name: unquote(value) for name, value in match.groupdict().items()}
                if told.get("id", self.world.project) != self.world.project:
                    raise RefusalError(404, "404 Project Not Found")
                return WORK[operation.name](self.world, told, query, body)
        wrong.append("not documented")
        raise RefusalError(404, "404 Not Found")

    def _fault(self, path: str) -> tuple[str, RefusalError | None, bool] | None:
        for fault in self.world.faults:
            if re.search(fault[0], f"{self.command} {path}"):
                self.world.faults.remove(fault)
                return fault
        return None

    def _refuse(self, refusal: RefusalError | None) -> None:
        if refusal is None:
            self.connection.close()
            raise ConnectionAbortedError
        raise refusal

    def _send(self, status: int, body: Any, headers: dict[str, str]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


Told = Mapping[str, str]


def _user(world: World, told: Told, query: Told, body: Any) -> tuple[int, Any]:
    return 200, ACCOUNT


def _project(world: World, told: Told, query: Told, body: Any) -> tuple[int, Any]:
    return 200, {"id": 7, "path_with_namespace": world.project, "default_branch": "main"}


def _list_statuses(world: World, told: Told, query: Told, body: Any) -> tuple[int, Any]:
    _check_commit(world, told)
    of_commit = [each for each in world.statuses if each["sha"] == told["sha"]]
    named = [each for each in of_commit if query.get("name") in (None, each["name"])]
    # Without all=true only the newest of each name is listed.
    return 200, _page(list({each["name"]: each for each in named}.values()), query)


def _set_status(world: World, told: Told, query: Told, body: Any) -> tuple[int, Any]:
    _check_commit(world, told)
    name = body.get("name") or body.get("context") or "default"
    still_open = [
        each
        for each in world.statuses
        if (each["sha"], each["name"]) == (told["sha"], name) and each["status"] in OPEN_STATES
    ]
    if still_open and still_open[-1]["status"] == body["state"]:
        event = {"pending": "enqueue", "running": "run"}[body["state"]]
        raise RefusalError(
            400, f"Cannot transition status via :{event} from :{body['state']} (Reason(s): "
            f'Status cannot transition via "{event}")',
        )  # fmt: skip
    if still_open:
        made = still_open[-1]
    else:
        made = {"id": next(world.numbers), "sha": told["sha"], "name": name, "author": ACCOUNT}
        world.statuses.append(made)
    made |= {
        "status": body["state"], "description": body.get("description"), "created_at": AT,
        "target_url": body.get("target_url"), "ref": body.get("ref"), "allow_failure": False,
    }  # fmt: skip
    return 201, made


def _list_notes(world: World, told: Told, query: Told, body: Any) -> tuple[int, Any]:
    iid = _merge_request(world, told)
    found = [each for each in world.notes.values() if each["noteable_iid"] == iid]
    newest_first = query.get("sort", "desc") == "desc"
    return 200, _page(sorted(found, key=lambda each: each["id"], reverse=newest_first), query)


def _get_note(world: World, told: Told, query: Told, body: Any) -> tuple[int, Any]:
    return 200, _note(world, told)


def _add_note(world: World, told: Told, query: Told, body: Any) -> tuple[int, Any]:
    return 201, world.add_note(_merge_request(world, told), body["body"])


def _change_note(world: World, told: Told, query: Told, body: Any) -> tuple[int, Any]:
    found = _note(world, told)
    if found["author"]["id"] != ACCOUNT["id"]:
        raise RefusalError(403, "403 Forbidden")
    found["body"] = body["body"]
    return 200, found


def _check_commit(world: World, told: Told) -> None:
    if told["sha"] not in world.commits:
        raise RefusalError(404, "404 Commit Not Found")


def _merge_request(world: World, told: Told) -> int:
    if int(told["iid"]) not in world.merge_requests:
        raise RefusalError(404, "404 Not found")
    return int(told["iid"])


def _note(world: World, told: Told) -> dict[str, Any]:
    found = world.notes.get(int(told["note_id"]))
    if found is None or found["noteable_iid"] != _merge_request(world, told):
        raise RefusalError(404, "404 Note Not Found")
    return found


def _page(rows: list[Any], query: Told) -> list[Any]:
    size, number = int(query.get("per_page", 20)), int(query.get("page", 1))
    return rows[(number - 1) * size : number * size]


WORK: Mapping[str, Callable[[World, Told, Told, Any], tuple[int, Any]]] = {
    "user": _user,
    "project": _project,
    "list statuses": _list_statuses,
    "set status": _set_status,
    "list notes": _list_notes,
    "get note": _get_note,
    "add note": _add_note,
    "change note": _change_note,
}


@contextmanager
def fake_gitlab(project: str) -> Iterator[World]:
    """Run the fake with one project on a port of this machine."""
    server = ThreadingHTTPServer((LOOPBACK, 0), Handler)
    server.daemon_threads = True
    world = World(f"http://{LOOPBACK}:{server.server_address[1]}{PREFIX}", project)
    server.RequestHandlerClass = type("GitLab", (Handler,), {"world": world})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield world
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
