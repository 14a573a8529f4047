"""Posting to an address that somebody else chose, over real connections."""

import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.notifications.certificates import server_context, write_certificate
from tests.servers.ports import LOOPBACK
from tests.servers.receiver import Reply, receiving
from triage.models.notifications import RESPONSE_LENGTH
from triage.notifications import posting
from triage.notifications.failures import PermanentFailure, TemporaryFailure
from triage.notifications.posting import Answer, post
from triage.notifications.web_addresses import WebAddress, read_web_address


@pytest.fixture(autouse=True)
def private_addresses_are_open(settings: Any) -> None:
    """What this machine's receivers need."""
    settings.ALLOW_PRIVATE_WEBHOOKS = True


class Resolver:
    """Leads every name to this machine the first time it is asked, and elsewhere after that."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)

    def __call__(self, host: str, port: int) -> list[str]:
        return self.answers.pop(0)


def test_a_message_arrives_with_its_headers_and_its_body() -> None:
    with receiving(Reply(body=b"thanks")) as receiver:
        answer = post(read_web_address(receiver.url("/a?b=c")), b"body", {"X-One": "1"})

    assert answer == Answer(200, "thanks", "", "")
    (request,) = receiver.requests
    assert (request.path, request.body) == ("/a?b=c", b"body")
    assert request.headers["x-one"] == "1"
    assert request.headers["host"] == f"{LOOPBACK}:{receiver.port}"


def test_a_name_is_resolved_once_and_the_connection_goes_to_the_address_that_was_checked() -> None:
    resolver = Resolver([LOOPBACK], ["203.0.113.1"])

    with receiving() as receiver:
        target = WebAddress(False, "hooks.example", receiver.port, "/")
        answer = post(target, b"", {}, resolver)

    assert answer.status == 200
    assert receiver.requests[0].headers["host"] == f"hooks.example:{receiver.port}"
    assert resolver.answers == [["203.0.113.1"]]


@pytest.mark.parametrize(
    "addresses", [[LOOPBACK], ["8.8.8.8", LOOPBACK], ["::ffff:127.0.0.1"], ["169.254.169.254"]]
)
def test_a_name_that_leads_to_any_private_address_is_not_connected_to(
    settings: Any, addresses: list[str]
) -> None:
    settings.ALLOW_PRIVATE_WEBHOOKS = False

    with receiving() as receiver:
        target = WebAddress(False, "hooks.example", receiver.port, "/")
        with pytest.raises(PermanentFailure, match="not a public address"):
            post(target, b"", {}, Resolver(addresses))

    assert receiver.requests == []


@pytest.mark.parametrize("host", ["localhost", "127.1", "0x7f.1", "2130706433", "0", "[::1]"])
def test_other_spellings_of_this_machine_are_refused_too(settings: Any, host: str) -> None:
    settings.ALLOW_PRIVATE_WEBHOOKS = False

    with pytest.raises(PermanentFailure, match="not a public address"):
        post(read_web_address(f"http://{host}:8080/"), b"", {})


def test_the_next_address_is_tried_when_the_first_does_not_answer() -> None:
    with receiving() as receiver:
        target = WebAddress(False, "hooks.example", receiver.port, "/")
        assert post(target, b"", {}, Resolver(["::1", LOOPBACK])).status == 200


def test_a_redirect_is_answered_and_not_followed() -> None:
    with receiving() as other, receiving(Reply(302, headers={"Location": other.url()})) as receiver:
        answer = post(read_web_address(receiver.url()), b"", {})

    assert (answer.status, answer.location) == (302, other.url())
    assert other.requests == []


def test_no_more_than_the_beginning_of_an_answer_is_kept_and_it_is_printable() -> None:
    with receiving(Reply(body=b"a\x00b\n" + b"x" * 100_000)) as receiver:
        answer = post(read_web_address(receiver.url()), b"", {})

    assert answer.text == "a b " + "x" * (RESPONSE_LENGTH - 4)


def test_a_port_that_nobody_listens_on_is_a_temporary_failure(dead_port: int) -> None:
    with pytest.raises(TemporaryFailure, match=r"did not answer: .*refused"):
        post(read_web_address(f"http://{LOOPBACK}:{dead_port}/"), b"", {})


def test_a_name_that_nobody_has_is_a_temporary_failure() -> None:
    with pytest.raises(TemporaryFailure, match=r"'no-such-host\.invalid' cannot be resolved"):
        post(read_web_address("http://no-such-host.invalid/"), b"", {})


def test_what_does_not_speak_http_is_a_temporary_failure() -> None:
    with socket.create_server((LOOPBACK, 0)) as server:
        greeting = threading.Thread(target=_greet, args=[server])
        greeting.start()
        url = f"http://{LOOPBACK}:{server.getsockname()[1]}/"
        with pytest.raises(TemporaryFailure, match="did not answer: 220 mail ready"):
            post(read_web_address(url), b"", {})
        greeting.join()


def test_a_receiver_that_never_answers_is_given_up_at_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(posting, "DEADLINE_S", 0.05)

    # The system accepts the connection; nobody ever reads from it.
    with socket.create_server((LOOPBACK, 0)) as silent:
        url = f"http://{LOOPBACK}:{silent.getsockname()[1]}/"
        with pytest.raises(TemporaryFailure, match="did not answer"):
            post(read_web_address(url), b"", {})


def test_a_certificate_is_checked_against_the_name_and_not_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_certificate(tmp_path, "hooks.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(file))

    with receiving(certificate=server_context(file)) as receiver:
        named = WebAddress(True, "hooks.example", receiver.port, "/")
        assert post(named, b"x", {}, Resolver([LOOPBACK])).status == 200
        other = WebAddress(True, "other.example", receiver.port, "/")
        with pytest.raises(PermanentFailure, match=r"certificate of other\.example is not valid"):
            post(other, b"x", {}, Resolver([LOOPBACK]))


def _greet(server: socket.socket) -> None:
    accepted, _ = server.accept()
    with accepted:
        accepted.sendall(b"220 mail ready\r\n")
        accepted.recv(10_000)
