"""Raw uploads: kept under the digest of their content, per repository."""

import hashlib

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from triage.errors import UnavailableError
from triage.models import Upload
from triage.parse.upload import UploadedFile


def upload_storage() -> Storage:
    """Return where raw uploads are kept."""
    return storages["uploads"]


def store_files(repo: str, files: tuple[UploadedFile, ...]) -> list[dict[str, object]]:
    """Keep files and return their entries for ``Upload.files``."""
    return [
        {"name": file.name, "stored_as": _store(repo, file.body), "bytes": len(file.body)}
        for file in files
    ]


def read_stored(upload: Upload) -> tuple[UploadedFile, ...]:
    """Return an upload's files as they were sent."""
    storage = upload_storage()
    files = []
    for file in upload.files:
        with storage.open(file["stored_as"]) as stored:
            files.append(UploadedFile(file["name"], stored.read()))
    return tuple(files)


def _store(repo: str, body: bytes) -> str:
    """Keep a file under the digest of its content, so that storing it again changes nothing."""
    digest = hashlib.sha256(body).hexdigest()
    name = f"{repo}/{digest[:2]}/{digest}"
    storage = upload_storage()
    try:
        if storage.exists(name) and storage.size(name) != len(body):
            # A process that died while writing left a torn file behind.
            storage.delete(name)
        if not storage.exists(name):
            storage.save(name, ContentFile(body))
    except OSError as error:
        raise UnavailableError(
            f"the upload storage cannot be written to ({error.strerror}); try again later"
        ) from error
    return name
