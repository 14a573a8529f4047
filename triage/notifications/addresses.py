"""Which network addresses a message may be sent to: none inside the operator's own network."""

import ipaddress
from collections.abc import Iterator

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# IPv6 forms that carry an IPv4 address in their last 32 bits.
TRANSLATED = (
    ipaddress.IPv6Network("::/96"),
    ipaddress.IPv6Network("64:ff9b::/96"),
)
# Ranges for local use that Python counts as global: site-local (RFC 3879), local NAT64 (RFC 8215).
LOCAL = (ipaddress.IPv6Network("fec0::/10"), ipaddress.IPv6Network("64:ff9b:1::/48"))
# Cloud metadata services outside the link-local range: AWS on IPv6, Alibaba, Azure.
METADATA = (
    ipaddress.ip_network("fd00:ec2::254/128"),
    ipaddress.ip_network("100.100.100.200/32"),
    ipaddress.ip_network("168.63.129.16/32"),
)
LOWEST_FREE_PORT = 1024
WEB_PORTS = frozenset({80, 443})


def is_allowed(text: str, *, private: bool) -> bool:
    """Whether an address may be connected to; ``private`` is what the operator has opened.

    Metadata services hand out credentials, so they stay closed even then.
    """
    meant = list(_meant(ipaddress.ip_address(text.partition("%")[0])))
    if private:
        return not any(_is_never_open(each) for each in meant)
    return all(_is_public(each) for each in meant)


def is_allowed_port(port: int) -> bool:
    """Whether a port may be connected to: the web's own, or one that no system service has."""
    return port in WEB_PORTS or port >= LOWEST_FREE_PORT


def _meant(address: Address) -> Iterator[Address]:
    """Yield an address and the IPv4 address that it stands for."""
    yield address
    if isinstance(address, ipaddress.IPv4Address):
        return
    if address.ipv4_mapped:
        yield address.ipv4_mapped
    if address.sixtofour:
        yield address.sixtofour
    if address.teredo:
        yield from address.teredo
    if any(address in network for network in TRANSLATED) and not address.is_loopback:
        yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)


def _is_public(address: Address) -> bool:
    mapped = isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped
    is_local = any(address in network for network in (*LOCAL, *METADATA))
    return (bool(mapped) or address.is_global) and not address.is_multicast and not is_local


def _is_never_open(address: Address) -> bool:
    return (
        address.is_link_local
        or address.is_multicast
        or address.is_unspecified
        or any(address in network for network in METADATA)
    )
