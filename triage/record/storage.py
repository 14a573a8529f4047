"""Raw uploads: kept under the digest of their content, per repository."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from triage.errors import UnavailableError
from triage.models import Upload
from triage.parse.upload import UploadedFile

try:
    from botocore.exceptions import BotoCoreError, ClientError
except ImportError:
    STORAGE_ERRORS: tuple[type[Exception], ...] = (OSError,)
else:
    STORAGE_ERRORS = (OSError, BotoCoreError, ClientError)


def upload_storage() -> Storage:
    """Return where raw uploads are kept."""
    return storages["uploads"]


def store_files(repo: str, files: tuple[UploadedFile, ...]) -> list[dict[str, object]]:
    """Keep files and return their entries for ``Upload.files``.

    Raises ``UnavailableError`` when the storage does not take them.
    """
    with _unavailable("written to"):
        return [
            {"name": file.name, "stored_as": _store(repo, file.body), "bytes": len(file.body)}
            for file in files
        ]


def read_stored(upload: Upload) -> tuple[UploadedFile, ...]:
    """Return an upload's files as they were sent.

    Raises ``FileNotFoundError`` when one is gone, ``UnavailableError`` when the storage does not
    answer.
    """
    with _unavailable("read"):
        return tuple(UploadedFile(file["name"], _read(file["stored_as"])) for file in upload.files)


def _read(name: str) -> bytes:
    with upload_storage().open(name) as stored:
        return bytes(stored.read())


def _store(repo: str, body: bytes) -> str:
    """Keep a file under the digest of its content, so that storing it again changes nothing."""
    digest = hashlib.sha256(body).hexdigest()
    name = f"{repo}/{digest[:2]}/{digest}"
    storage = upload_storage()
    if storage.exists(name) and storage.size(name) != len(body):
        # A process that died while writing left a torn file behind.
        storage.delete(name)
    if not storage.exists(name):
        storage.save(name, ContentFile(body))
    return name


@contextmanager
def _unavailable(done: str) -> Iterator[None]:
    """Turn what a storage raises into the one error that clients and workers try again after."""
    try:
        yield
    except FileNotFoundError:
        raise
    except STORAGE_ERRORS as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnavailableError(
            f"the upload storage cannot be {done} ({reason}); try again later"
        ) from error
