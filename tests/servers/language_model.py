"""An LLM's endpoint on this machine: temperature 0, and yet not always the same answer."""

import json
import math
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

from tests.servers.ports import LOOPBACK

SNAPSHOT = "acme-llm-2026-09-01"
# What the batch does to the gap between the two best answers, in nats.
NOISE_NATS = 0.05


@dataclass(frozen=True)
class Answers:
    """The two best answers to a prompt, and the gap between them in nats: 0 is a near tie."""

    best: str
    second: str = ""
    gap: float = 5.0


@dataclass
class LanguageModel:
    """What is answered: by the system's prompt, and then by the user's."""

    seed: int
    answers: Mapping[str, Mapping[str, Answers]]
    _calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def complete(self, system: str, user: str) -> dict[str, Any]:
        """Return a chat completion; the noise is drawn per prompt, in whatever order they come."""
        with self._lock:
            self._calls[system, user] += 1
            number = self._calls[system, user]
        draw = Random(f"{self.seed} {system} {user} {number}")
        answers = self.answers[system][user]
        gap = answers.gap + draw.gauss(0, NOISE_NATS)
        texts = (answers.best, answers.second) if gap > 0 else (answers.second, answers.best)
        return _completion(f"chatcmpl-{draw.getrandbits(64):016x}", texts, abs(gap))


def _completion(name: str, texts: tuple[str, str], gap: float) -> dict[str, Any]:
    """Return an answer of one token, and the one that it was nearly."""
    logprobs = [-math.log1p(math.exp(-gap)), -math.log1p(math.exp(gap))]
    told = [{"token": text, "logprob": each} for text, each in zip(texts, logprobs, strict=True)]
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": texts[0]},
        "logprobs": {"content": [{**told[0], "top_logprobs": told}]},
    }
    return {"id": name, "object": "chat.completion", "model": SNAPSHOT, "choices": [choice]}


@contextmanager
def answering(model: LanguageModel) -> Iterator[str]:
    """Serve a model for the length of a block; its address, as SDKs want it."""
    server = ThreadingHTTPServer((LOOPBACK, 0), _Handler)
    server.model = model  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://{LOOPBACK}:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Answers what asks for a chat completion."""

    def do_POST(self) -> None:
        """Answer one call."""
        if self.path != "/v1/chat/completions":
            self.send_error(404)
            return
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = {each["role"]: each["content"] for each in asked["messages"]}
        model: LanguageModel = self.server.model  # type: ignore[attr-defined]
        body = json.dumps(model.complete(said["system"], said["user"])).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *told: Any) -> None:
        """Keep the tests' output free of it."""
