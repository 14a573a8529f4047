"""An issuer of identity tokens on this machine: discovery, keys that are rotated, signed tokens."""

import json
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from jwt.algorithms import RSAAlgorithm

from tests.servers.ports import LOOPBACK

KEYS = "/.well-known/jwks"
# Making one takes a tenth of a second or two, and what they hold makes no difference.
PAIRS: list[RSAPrivateKey] = []


def key_pair(number: int) -> RSAPrivateKey:
    """Return a key, the same for the same number."""
    while len(PAIRS) <= number:
        PAIRS.append(generate_private_key(public_exponent=65537, key_size=2048))
    return PAIRS[number]


@dataclass
class Issuer:
    """A running issuer: where it is, the keys it shows, and what it was asked for."""

    url: str
    numbers: list[int] = field(default_factory=lambda: [0])
    requests: list[str] = field(default_factory=list)
    is_down: bool = False

    def rotate(self) -> None:
        """Sign with a new key from now on, and show it alone."""
        self.numbers = [self.numbers[-1] + 1]

    def claims(self, **changed: Any) -> dict[str, Any]:
        """Return the claims of a push to main of acme/support-bot, as GitHub makes them."""
        now = int(time.time())
        told = {
            "iss": self.url,
            "aud": "http://127.0.0.1:8000",
            "sub": "repo:acme/support-bot:ref:refs/heads/main",
            "iat": now,
            "nbf": now - 5,
            "exp": now + 300,
            "jti": "4d0e5b1c",
            "repository": "acme/support-bot",
            "repository_id": "712",
            "repository_owner": "acme",
            "repository_owner_id": "9",
            "run_id": "98",
            "run_number": "3",
            "run_attempt": "1",
            "event_name": "push",
            "ref": "refs/heads/main",
            "ref_type": "branch",
            "sha": f"{1:040x}",
            "head_ref": "",
            "base_ref": "",
        }
        return {name: value for name, value in (told | changed).items() if value is not None}

    def token(self, **changed: Any) -> str:
        """Return a signed token; ``None`` leaves a claim out."""
        return self.signed(self.claims(**changed))

    def signed(self, claims: dict[str, Any], kid: str | None = None, **header: Any) -> str:
        """Return claims signed with the newest key, whatever they are."""
        number = self.numbers[-1]
        headers = {"kid": kid or f"key-{number}"} | header
        return jwt.encode(claims, key_pair(number), algorithm="RS256", headers=headers)

    def keys(self) -> dict[str, Any]:
        """Return the public keys as the issuer shows them."""
        return {
            "keys": [
                {
                    **RSAAlgorithm.to_jwk(key_pair(number).public_key(), as_dict=True),
                    "kid": f"key-{number}",
                    "use": "sig",
                    "alg": "RS256",
                }
                for number in self.numbers
            ]
        }

    def answer(self, path: str) -> dict[str, Any] | None:
        """Return what is at a path; ``None`` when the issuer is down or has nothing there."""
        self.requests.append(path)
        told = {
            "/.well-known/openid-configuration": {"issuer": self.url, "jwks_uri": self.url + KEYS},
            KEYS: self.keys(),
        }
        return None if self.is_down else told.get(path)


def unsigned(claims: dict[str, Any]) -> str:
    """Return a token with the algorithm "none"."""
    parts = ({"alg": "none", "typ": "JWT", "kid": "key-0"}, claims)
    packed = [urlsafe_b64encode(json.dumps(each).encode()).rstrip(b"=").decode() for each in parts]
    return ".".join([*packed, ""])


@contextmanager
def issuing() -> Iterator[Issuer]:
    """Run an issuer for the length of a block."""
    made: list[Issuer] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told = made[0].answer(self.path)
            body = json.dumps(told or {"error": "unavailable"}).encode()
            self.send_response(200 if told else 503)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer((LOOPBACK, 0), Handler)
    made.append(Issuer(f"http://{LOOPBACK}:{server.server_port}"))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield made[0]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
