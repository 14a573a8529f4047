"""Check an identity token of GitHub Actions: whose it is, whom it is for, and whether it holds."""

from typing import Any

import jwt
from django.conf import settings
from jwt.exceptions import InvalidTokenError, PyJWKClientError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from triage.errors import ForbiddenError, UnauthorizedError
from triage.upload.issuers import allowed_issuers, keys_of

ALGORITHM = "RS256"
MOST_CHARACTERS = 16_384
LEEWAY_S = 30
NEEDED = ("iss", "aud", "exp", "iat", "repository_id", "run_id")
# It runs with the rights of the base and, more often than not, with the code of a fork.
REFUSED_EVENT = "pull_request_target"
HIGHEST_ID = 2**63 - 1
PROBLEMS: dict[type[InvalidTokenError], str] = {
    jwt.ExpiredSignatureError: "has expired; ask GitHub for a new one just before the upload",
    jwt.ImmatureSignatureError: "is not valid yet; set the server's clock right",
    jwt.InvalidSignatureError: "is not signed by its issuer; send it as GitHub gave it",
}


class Workflow(BaseModel):
    """What an issuer says of a job. ``sub`` is left out: it holds names, which change hands."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    iss: str
    repository_id: int = Field(ge=1, le=HIGHEST_ID)
    repository: str = ""
    run_id: str = Field(pattern=r"^[0-9]{1,20}$")
    run_attempt: int = Field(1, ge=1)
    event_name: str = ""
    ref: str = ""
    sha: str = ""
    head_ref: str = ""


def is_identity_token(secret: str) -> bool:
    """Whether a credential has the form of a signed token, which a project's token has not."""
    return secret.count(".") == 2


def read_workflow(token: str) -> Workflow:
    """Return the workflow that a token speaks of.

    Raises ``UnauthorizedError`` for one that does not hold, ``ForbiddenError`` for a workflow that
    is never taken, ``UnavailableError`` when its issuer cannot be asked for keys.
    """
    issuer, kid = _claimed(token)
    try:
        key = keys_of(issuer).find(kid)
    except PyJWKClientError as error:
        raise _refused(
            f"is signed with the key {kid[:80]!r}, which {issuer} does not have; "
            "ask GitHub for a new one"
        ) from error
    workflow = _read(_verified(token, issuer, key))
    if workflow.event_name == REFUSED_EVENT:
        raise ForbiddenError(
            f"workflows on {REFUSED_EVENT} may not upload: they have the rights of the base and "
            "may run the code of a fork; use pull_request"
        )
    return workflow


def _claimed(token: str) -> tuple[str, str]:
    """Return issuer and key id as an unchecked token has them, if they can be checked."""
    try:
        if len(token) > MOST_CHARACTERS:
            raise jwt.DecodeError(f"more than {MOST_CHARACTERS} characters")
        told = jwt.decode_complete(token, options={"verify_signature": False})
    except InvalidTokenError as error:
        raise _refused(f"cannot be read: {error}") from error
    algorithm, kid = told["header"].get("alg"), told["header"].get("kid")
    if algorithm != ALGORITHM or not isinstance(kid, str):
        raise _refused(f"must be signed with {ALGORITHM} and name its key, got {algorithm!r}")
    issuer = told["payload"].get("iss")
    if issuer not in allowed_issuers():
        allowed = ", ".join(allowed_issuers()) or "none"
        raise _refused(
            f"is from {str(issuer)[:200]!r}, which is not allowed here; allowed: {allowed} "
            "(set GITHUB_ID_TOKEN_ISSUERS)"
        )
    return issuer, kid


def _verified(token: str, issuer: str, key: jwt.PyJWK) -> dict[str, Any]:
    url = settings.TIEBREAK_URL
    try:
        return jwt.decode(
            token,
            key=key,
            algorithms=[ALGORITHM],
            audience=[url, url + "/"],
            issuer=issuer,
            leeway=LEEWAY_S,
            options={"require": list(NEEDED)},
        )
    except jwt.InvalidAudienceError as error:
        raise _refused(
            f"is for another audience; ask GitHub for one with audience={url}"
        ) from error
    except InvalidTokenError as error:
        raise _refused(PROBLEMS.get(type(error), f"does not hold: {error}")) from error


def _read(claims: dict[str, Any]) -> Workflow:
    try:
        return Workflow.model_validate(claims)
    except ValidationError as error:
        first = error.errors()[0]
        raise _refused(f"has a wrong claim {first['loc'][0]}: {first['msg']}") from error


def _refused(problem: str) -> UnauthorizedError:
    return UnauthorizedError(f"the identity token {problem}")
