"""Signatures, checked by the lines that the documentation gives to receivers."""

import base64
import re
import time
from pathlib import Path
from typing import Any

from triage.notifications.signing import new_secret, signed_headers

DOCUMENTATION = Path(__file__).parent.parent.parent / "docs" / "notifications.md"
SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()


def is_genuine(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """Run the documentation's lines."""
    (lines,) = re.findall(r"```python\n(.*?)```", DOCUMENTATION.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(lines, names)
    return bool(names["is_genuine"](secret, headers, body))


def signed(timestamp_s: float) -> dict[str, str]:
    """Return the headers of an empty document."""
    return dict(signed_headers(SECRET, "msg", int(timestamp_s), b"{}"))


def test_a_message_is_genuine_with_its_secret_and_with_no_other() -> None:
    headers = signed(time.time())

    assert is_genuine(SECRET, headers, b"{}")
    assert not is_genuine(new_secret(), headers, b"{}")


def test_a_changed_body_time_or_id_is_not_genuine() -> None:
    headers = signed(time.time())
    later = str(int(headers["webhook-timestamp"]) + 1)

    assert not is_genuine(SECRET, headers, b"{ }")
    assert not is_genuine(SECRET, headers | {"webhook-timestamp": later}, b"{}")
    assert not is_genuine(SECRET, headers | {"webhook-id": "other"}, b"{}")


def test_an_old_message_that_is_sent_once_more_is_not_genuine() -> None:
    assert not is_genuine(SECRET, signed(time.time() - 600), b"{}")


def test_the_signature_is_the_one_of_the_public_scheme() -> None:
    """Made with openssl: printf 'msg.1700000000.{}' | openssl dgst -sha256 -hmac KEY -binary."""
    assert (
        signed(1_700_000_000)["webhook-signature"]
        == "v1,ihMdB3LRt95wZNOGVlan+2L/+rKMUSOTbCH8d2Ic4kA="
    )


def test_every_secret_is_new_and_as_long_as_the_digest() -> None:
    secrets = {new_secret() for _ in range(20)}

    assert len(secrets) == 20
    assert {len(base64.b64decode(each.removeprefix("whsec_"))) for each in secrets} == {32}
