"""Check the address of a forge that a person typed in: it must not lead into the own network."""

from django.conf import settings

from triage.errors import InvalidRequestError
from triage.notifications.addresses import is_allowed
from triage.notifications.failures import TemporaryFailure
from triage.notifications.posting import resolve
from triage.notifications.web_addresses import read_web_address

REMEDY = "an operator may allow private ones with ALLOW_PRIVATE_WEBHOOKS=true"


def check_forge_address(url: str) -> str:
    """Return the address without a slash at its end; raise ``InvalidRequestError`` if not legal.

    Secrets travel there, so it has to be encrypted unless the operator opened private addresses.
    """
    target = read_web_address(url.strip())
    if not target.is_encrypted and not settings.ALLOW_PRIVATE_WEBHOOKS:
        raise InvalidRequestError(f"the address must begin with https://, got {url[:80]!r}")
    if "?" in url or "#" in url:
        raise InvalidRequestError(f"the address must have no query and no fragment, got {url!r}")
    for address in _addresses(target.host, target.port):
        if not is_allowed(address, private=settings.ALLOW_PRIVATE_WEBHOOKS):
            raise InvalidRequestError(
                f"{target.host} leads to {address}, which is not a public address; {REMEDY}"
            )
    return url.strip().rstrip("/")


def _addresses(host: str, port: int) -> list[str]:
    try:
        return resolve(host, port)
    except TemporaryFailure as error:
        raise InvalidRequestError(f"{error.reason}; check the spelling of the address") from None
