"""E-mail, sent to a real mail server on this machine."""

from typing import Any

import pytest

from tests.notifications.builders import (
    emit_blocked,
    make_channel,
    make_repository,
    only_delivery,
)
from tests.servers.mail_receiver import receiving_mail
from tests.servers.ports import LOOPBACK
from triage.mail_settings import mail_address, mail_settings
from triage.models import Delivery
from triage.notifications.starting import start_due
from triage.terms import ChannelKind, DeliveryState, Digest

pytestmark = pytest.mark.django_db


@pytest.fixture
def smtp(settings: Any) -> Any:
    """Settings that send mail to a port of this machine."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.DEFAULT_FROM_EMAIL = "Tiebreak <tiebreak@acme.example>"

    def use(port: int) -> None:
        settings.EMAIL_URL = f"smtp://{LOOPBACK}:{port}"
        for name, value in mail_settings(settings.EMAIL_URL).items():
            setattr(settings, name, value)

    return use


def test_a_mail_says_what_happened_and_where_to_look(smtp: Any) -> None:
    repository = make_repository()
    with receiving_mail() as receiver:
        smtp(receiver.port)
        make_channel(repository, "ada@acme.example", ChannelKind.EMAIL)
        emit_blocked(repository)
        start_due()

    (mail,) = receiver.mails
    assert mail["Subject"].strip() == (
        "[acme/support-bot] Run blocked: Do not merge: 1 label regression (fraud → billing)"
    )
    assert (mail["To"], mail["From"]) == ("ada@acme.example", "Tiebreak <tiebreak@acme.example>")
    assert mail["Message-ID"] == f"<{only_delivery().pk}@acme.example>"
    text = mail.get_content()
    for words in ("test_ticket[2]: “fraud” became", "commit: 4f2c9ab", "/runs/7/"):
        assert words in text
    assert "is reference" not in text
    assert only_delivery().state == DeliveryState.SENT


def test_a_name_from_ci_cannot_add_a_header_or_markup(smtp: Any) -> None:
    repository = make_repository()
    with receiving_mail() as receiver:
        smtp(receiver.port)
        make_channel(repository, "ada@acme.example", ChannelKind.EMAIL)
        emit_blocked(repository, headline="x\r\nBcc: eve@evil.example\r\n\r\n<b>y</b>")
        start_due()

    (mail,) = receiver.mails
    assert mail["Bcc"] is None
    assert mail["Subject"].endswith("Run blocked: x Bcc: eve@evil.example <b>y</b>")
    assert mail.get_content_type() == "text/plain"


def test_a_digest_is_one_mail(smtp: Any) -> None:
    repository = make_repository()
    with receiving_mail() as receiver:
        smtp(receiver.port)
        make_channel(repository, "ada@acme.example", ChannelKind.EMAIL, digest=Digest.DAILY)
        for number in range(3):
            emit_blocked(repository, key=str(number), headline=f"Number {number}.")
        Delivery.objects.update(due_at=only_delivery().created_at)
        start_due()

    (mail,) = receiver.mails
    assert mail["Subject"].strip() == "[acme/support-bot] 3 notifications"
    text = mail.get_content()
    assert text.index("Number 0.") < text.index("Number 1.") < text.index("Number 2.")


@pytest.mark.parametrize(
    ("reply", "state", "problem"),
    [
        ("451 try again later", DeliveryState.WAITING, "the mail server answered 451"),
        ("550 no such user", DeliveryState.FAILED, "the mail server answered 550"),
    ],
)
def test_only_a_temporary_refusal_is_tried_again(
    smtp: Any, reply: str, state: DeliveryState, problem: str
) -> None:
    repository = make_repository()
    with receiving_mail(reply) as receiver:
        smtp(receiver.port)
        make_channel(repository, "ada@acme.example", ChannelKind.EMAIL)
        emit_blocked(repository)
        start_due()

    delivery = only_delivery()
    assert (delivery.state, delivery.problem) == (state, problem)
    assert delivery.response == reply[4:]


def test_a_mail_that_is_refused_as_a_whole_is_told_with_the_server_s_words(smtp: Any) -> None:
    repository = make_repository()
    with receiving_mail() as receiver:
        receiver.refused_mails.append("554 looks like spam")
        smtp(receiver.port)
        make_channel(repository, "ada@acme.example", ChannelKind.EMAIL)
        emit_blocked(repository)
        start_due()

    delivery = only_delivery()
    assert (delivery.state, delivery.response) == (DeliveryState.FAILED, "looks like spam")
    assert receiver.mails == []


def test_a_mail_server_that_is_down_is_tried_again(smtp: Any, dead_port: int) -> None:
    repository = make_repository()
    smtp(dead_port)
    make_channel(repository, "ada@acme.example", ChannelKind.EMAIL)
    emit_blocked(repository)

    start_due()

    assert only_delivery().state == DeliveryState.WAITING
    assert "the mail server did not answer: " in only_delivery().problem


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", ("localhost", 0, "", "", False, False)),
        ("smtp://mail.example", ("mail.example", 25, "", "", False, False)),
        ("smtp+tls://u%40x:p%3A%2F@mail.example", ("mail.example", 587, "u@x", "p:/", True, False)),
        ("smtps://u:p@mail.example:4650", ("mail.example", 4650, "u", "p", False, True)),
    ],
)
def test_one_url_says_everything_about_the_mail_server(url: str, expected: object) -> None:
    names = ("HOST", "PORT", "HOST_USER", "HOST_PASSWORD", "USE_TLS", "USE_SSL")
    read = mail_settings(url)

    assert tuple(read[f"EMAIL_{name}"] for name in names) == expected
    assert read["EMAIL_TIMEOUT"] == 10


@pytest.mark.parametrize("address", ["", "nobody", "@acme.example", "a@b\r\nBcc: c@d"])
def test_a_sender_that_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="must be an e-mail address"):
        mail_address(address)
