"""Which addresses a message may be sent to."""

import pytest

from triage.notifications.addresses import is_allowed, is_allowed_port

PUBLIC = ["8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
PRIVATE = [
    "127.0.0.1",
    "127.255.255.254",
    "::1",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "198.18.0.1",
    "192.0.2.1",
    "fd12:3456::1",
    "fec0::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
]
NEVER_OPEN = [
    "0.0.0.0",
    "::",
    "169.254.169.254",
    "169.254.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "100.100.100.200",
    "168.63.129.16",
    "224.0.0.1",
    "ff02::1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_open_whatever_the_operator_allows(address: str) -> None:
    assert is_allowed(address, private=False)
    assert is_allowed(address, private=True)


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_is_open_only_when_the_operator_allows_it(address: str) -> None:
    assert not is_allowed(address, private=False)
    assert is_allowed(address, private=True)


@pytest.mark.parametrize("address", NEVER_OPEN)
def test_an_address_that_hands_out_credentials_or_reaches_many_is_never_open(address: str) -> None:
    assert not is_allowed(address, private=False)
    assert not is_allowed(address, private=True)


@pytest.mark.parametrize(
    ("port", "expected"),
    [
        *((port, False) for port in (0, 22, 25, 79, 81, 444, 1023)),
        *((port, True) for port in (80, 443, 1024, 6379, 65535)),
    ],
)
def test_ports_of_system_services_are_closed(port: int, *, expected: bool) -> None:
    assert is_allowed_port(port) is expected
