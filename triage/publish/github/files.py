"""Read files of a repository's default branch; what has not changed is not sent again."""

import base64
from dataclasses import dataclass

from github import Github, UnknownObjectException

from triage.publish.forge import RefusedForgeError
from triage.publish.github.failures import translated

BASE64 = "base64"


@dataclass(frozen=True, slots=True)
class FileReading:
    """A file, or that it is as it was (``body`` is ``None``), or not there (``etag`` is empty)."""

    etag: str
    body: bytes | None

    @property
    def is_missing(self) -> bool:
        """Whether there is no such file."""
        return not self.etag


def read_file(client: Github, full_name: str, path: str, known_etag: str) -> FileReading:
    """Return a file of the default branch, which is what GitHub takes where no branch is named."""
    headers = {"If-None-Match": known_etag} if known_etag else {}
    with translated():
        try:
            told, file = client.requester.requestJsonAndCheck(
                "GET", f"/repos/{full_name}/contents/{path}", headers=headers
            )
        except UnknownObjectException:
            return FileReading("", None)
    if file is None:
        return FileReading(known_etag, None)
    if not isinstance(file, dict) or file.get("encoding") != BASE64:
        raise RefusedForgeError(f"{path} is no file of at most 1 MB, which is what GitHub sends")
    return FileReading(told["etag"], base64.b64decode(file["content"]))


def is_there(client: Github, full_name: str) -> bool:
    """Whether the repository itself can be seen: a missing one has no files either."""
    with translated():
        try:
            client.requester.requestJsonAndCheck("GET", f"/repos/{full_name}")
        except UnknownObjectException:
            return False
    return True
