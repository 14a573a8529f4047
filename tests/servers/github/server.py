"""The fake GitHub over HTTP: every request and every answer is held against the description."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from tests.servers.github.app_operations import OPERATIONS as APP_OPERATIONS
from tests.servers.github.app_operations import begin_manifest
from tests.servers.github.description import Description
from tests.servers.github.operations import BLOBS, Request
from tests.servers.github.operations import OPERATIONS as WORK_OPERATIONS
from tests.servers.github.sign_in_operations import FORM, access_token, authorize
from tests.servers.github.sign_in_operations import OPERATIONS as SIGN_IN_OPERATIONS
from tests.servers.github.status_operations import OPERATIONS as STATUS_OPERATIONS
from tests.servers.github.world import RefusalError, World
from tests.servers.ports import LOOPBACK
from triage.publish.github import access

OPERATIONS = WORK_OPERATIONS | APP_OPERATIONS | STATUS_OPERATIONS | SIGN_IN_OPERATIONS
SIGN_IN = "/login/oauth/"
INSTALL = re.compile(r"/apps/[\w-]+/installations/new")
NEW_APP = re.compile(r"(/organizations/[\w-]+)?/settings/apps/new")
DESCRIPTIONS = {"": "api.json", "/api/v3": "api.ghes.json"}


class Handler(BaseHTTPRequestHandler):
    """Answers as GitHub would, or as a fault wants it."""

    protocol_version = "HTTP/1.1"
    world: World
    description: Description
    prefix: str

    def log_message(self, *told: Any) -> None:
        """Keep the tests' output free of it."""

    def answer(self) -> None:
        """Take one request."""
        url = urlsplit(self.path)
        if self.command == "POST" and NEW_APP.fullmatch(url.path):
            self._confirm_manifest(url.query)
            return
        if self.command == "GET" and INSTALL.fullmatch(url.path):
            self._send(302, None, {"Location": self.world.setup_url})
            return
        if url.path.startswith(SIGN_IN):
            self._sign_in(url.path, dict(parse_qsl(url.query, keep_blank_values=True)))
            return
        path = unquote(url.path).removeprefix(self.prefix)
        if path.startswith(BLOBS):
            self._send_blob(int(path.removeprefix(BLOBS)))
            return
        query = dict(parse_qsl(url.query, keep_blank_values=True))
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(raw) if raw else None
        wrong: list[str] = []
        headers: dict[str, str] = {}
        status, shown = 0, None
        try:
            fault = self._fault(path)
            if fault and not fault[2]:
                self._refuse(fault[1])
            status, shown, headers = self._work(path, query, body, wrong)
            status, shown = self._unless_known(status, shown, headers)
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

    do_GET = do_POST = do_PATCH = answer  # noqa: N815 - the names that the base class calls

    def _work(
        self, path: str, query: dict[str, str], body: Any, wrong: list[str]
    ) -> tuple[int, Any, dict[str, str]]:
        operation = self.description.find(self.command, path)
        if operation is None or operation.id not in OPERATIONS:
            wrong.append("no such operation")
            raise RefusalError(404, "Not Found")
        wrong += self.description.wrong_request(operation, query, body)
        if wrong and body is not None:
            raise RefusalError(422, "Invalid request. " + "; ".join(wrong))
        with self.world.lock:
            request = Request(
                self.world, operation.parameters, query, body,
                self.headers.get("Authorization") or "", path,
            )  # fmt: skip
            status, shown = OPERATIONS[operation.id](request)
        wrong += self.description.wrong_answer(operation, status, shown)
        return status, shown, request.headers

    def _unless_known(self, status: int, shown: Any, headers: dict[str, str]) -> tuple[int, Any]:
        """Answer 304 to who has seen the same before, which costs nothing of the limit."""
        if self.command != "GET" or status != 200:
            return status, shown
        headers["ETag"] = f'W/"{hashlib.sha256(json.dumps(shown).encode()).hexdigest()}"'
        if self.headers.get("If-None-Match") == headers["ETag"]:
            return 304, None
        return status, shown

    def _confirm_manifest(self, query: str) -> None:
        """Take a manifest from a browser and send it back, as after the person's consent."""
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        manifest = json.loads(dict(parse_qsl(raw))["manifest"])
        self.world.setup_url = manifest["setup_url"]
        code = begin_manifest(self.world, manifest)
        told = urlencode({"code": code, "state": dict(parse_qsl(query)).get("state", "")})
        self._send(302, None, {"Location": f"{manifest['redirect_url']}?{told}"})

    def _sign_in(self, path: str, query: dict[str, str]) -> None:
        """Do what the description of the API leaves out: consent, and a token for its code."""
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self._fault(path)
        if fault:
            refusal = fault[1] or RefusalError(502, "Server Error")
            self._send(refusal.status, refusal.body, refusal.headers)
        elif self.command == "GET":
            place, wrong = authorize(self.world, query)
            self.world.log.append((self.command, path, 302, wrong))
            self._send(302, None, {"Location": place})
        else:
            self.world.log.append((self.command, path, 200, []))
            self._send_form(access_token(self.world, raw))

    def _send_form(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", FORM)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def _fault(self, path: str) -> tuple[str, RefusalError | None, bool] | None:
        with self.world.lock:
            for fault in self.world.faults:
                if re.search(fault[0], f"{self.command} {path}"):
                    self.world.faults.remove(fault)
                    return fault
            return self.world.chaos.fault() if self.world.chaos else None

    def _refuse(self, refusal: RefusalError | None) -> None:
        if refusal is None:
            self.connection.close()
            raise ConnectionAbortedError
        raise refusal

    def _send_blob(self, number: int) -> None:
        """Send a zip to whoever has its address; a token has no business there."""
        found = [each.artifacts.get(number) for each in self.world.repositories.values()]
        body = next((each["body"] for each in found if each), b"")
        has_token = "Authorization" in self.headers
        wrong = ["a token was sent to another host"] if has_token else []
        self.world.log.append((self.command, f"{BLOBS}{number}", 200, wrong))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _send(self, status: int, body: Any, headers: dict[str, str]) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def fake_github(prefix: str = "") -> Iterator[World]:
    """Run the fake on a port of this machine; ``/api/v3`` makes it an Enterprise Server."""
    server = ThreadingHTTPServer((LOOPBACK, 0), Handler)
    server.daemon_threads = True
    world = World(f"http://{LOOPBACK}:{server.server_address[1]}{prefix}")
    server.RequestHandlerClass = type(
        "GitHub",
        (Handler,),
        {"world": world, "prefix": prefix, "description": Description(DESCRIPTIONS[prefix])},
    )
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    # The port may be one that an earlier fake had: its tokens are none of this one's.
    access._TOKENS.clear()
    try:
        yield world
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
