"""Unpack what was sent: gzip, zip and tar by their first bytes, in memory, within limits."""

import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from triage.parse.limits import Limits
from triage.parse.report import IgnoredFile, RefusedFile

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
TAR_MAGIC_AT = 257
TAR_MAGIC = b"ustar"
# How deep archives may lie in each other: a tar in a gzip is one of each.
DEEPEST = 2
PIECE = 2**20
# What the standard library raises for archives that are cut, encrypted, or made to break it.
DAMAGES = (
    *(zlib.error, lzma.LZMAError, EOFError, zipfile.BadZipFile, tarfile.TarError, struct.error),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError, OSError),
)
REPORT_ENDINGS = (".xml", ".json", ".gz", ".zip", ".tar", ".tgz", ".junit", ".trx")


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file as it was sent."""

    name: str
    body: bytes


@dataclass(slots=True)
class Unpacked:
    """The files of an upload, archives opened."""

    files: list[UploadedFile] = field(default_factory=list)
    ignored: list[IgnoredFile] = field(default_factory=list)
    refused: list[RefusedFile] = field(default_factory=list)


class _TooLargeError(Exception):
    """An archive holds more than the limits take."""


class Unpacker:
    """Opens the files of one upload; limits hold for all of them together."""

    def __init__(self, limits: Limits) -> None:
        self.unpacked = Unpacked()
        self._limits = limits
        self._bytes_left = limits.decompressed_bytes
        self._most_for_file = limits.decompressed_bytes

    def add(self, file: UploadedFile, depth: int = 0) -> None:
        """Take a file, or what is in it; what cannot be opened is refused by name."""
        try:
            self._open(file, depth)
        except _TooLargeError as error:
            self._refuse(file.name, "archive", str(error))
        except DAMAGES as error:
            self._refuse(file.name, *_damage(file.body, error))

    def _open(self, file: UploadedFile, depth: int) -> None:
        body = file.body
        if depth == 0:
            free = self._limits.ratio_free_bytes
            self._most_for_file = max(len(body) * self._limits.ratio, free)
        is_archive = body.startswith((GZIP, ZIP)) or _is_tar(body)
        if is_archive and depth >= DEEPEST:
            self._refuse(file.name, "archive", f"archives are nested deeper than {DEEPEST} levels")
        elif body.startswith(GZIP):
            self._add_gunzipped(UploadedFile(file.name, self._gunzip(body)), depth + 1)
        elif body.startswith(ZIP):
            self._add_members(file.name, self._zip_members(body), depth)
        elif _is_tar(body):
            self._add_members(file.name, self._tar_members(body), depth)
        else:
            self._add_plain(file)

    def _add_gunzipped(self, file: UploadedFile, depth: int) -> None:
        """Take what a gzip holds: a report, or a tar of reports."""
        if file.body.startswith(GZIP):
            self._refuse(file.name, "gzip", "this is gzipped twice; gzip it once")
        else:
            self.add(file, depth)

    def _add_plain(self, file: UploadedFile) -> None:
        if len(self.unpacked.files) >= self._limits.files:
            raise _TooLargeError(f"the upload holds more than {self._limits.files} files")
        self.unpacked.files.append(file)

    def _add_members(self, archive: str, members: Iterator[UploadedFile], depth: int) -> None:
        for member in members:
            reason = _why_ignored(member)
            name = f"{archive}/{member.name}"
            if reason:
                self.unpacked.ignored.append(IgnoredFile(name, reason))
            else:
                self.add(UploadedFile(name, member.body), depth + 1)

    def _gunzip(self, body: bytes) -> bytes:
        stream = zlib.decompressobj(wbits=31)
        pieces, data = [], body
        while not stream.eof:
            piece = stream.decompress(data, PIECE)
            self._take(len(piece))
            pieces.append(piece)
            data = stream.unconsumed_tail
            if not data and not piece and not stream.eof:
                raise EOFError
        return b"".join(pieces)

    def _zip_members(self, body: bytes) -> Iterator[UploadedFile]:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for entry in archive.infolist()[: self._limits.files + 1]:
                if not entry.is_dir():
                    with archive.open(entry) as member:
                        yield UploadedFile(entry.filename, self._read(member))

    def _tar_members(self, body: bytes) -> Iterator[UploadedFile]:
        with tarfile.open(fileobj=io.BytesIO(body)) as archive:
            for entry in archive:
                member = archive.extractfile(entry) if entry.isfile() else None
                if member:
                    yield UploadedFile(entry.name, self._read(member))

    def _read(self, member: IO[bytes]) -> bytes:
        pieces = []
        while piece := member.read(PIECE):
            self._take(len(piece))
            pieces.append(piece)
        return b"".join(pieces)

    def _take(self, size: int) -> None:
        self._bytes_left -= size
        self._most_for_file -= size
        if self._most_for_file < 0:
            raise _TooLargeError(
                f"the archive unpacks to more than {self._limits.ratio} times its size, which no "
                "report does; send the reports uncompressed"
            )
        if self._bytes_left < 0:
            raise _TooLargeError(
                f"the upload unpacks to more than {self._limits.decompressed_bytes} bytes; "
                "send it in several uploads"
            )

    def _refuse(self, name: str, kind: str, error: str) -> None:
        self.unpacked.refused.append(RefusedFile(name, kind, error))


def unpack(files: "tuple[UploadedFile, ...] | list[UploadedFile]", limits: Limits) -> Unpacked:
    """Return the files of an upload with all archives opened."""
    unpacker = Unpacker(limits)
    for file in files:
        unpacker.add(file)
    return unpacker.unpacked


def _damage(body: bytes, error: Exception) -> tuple[str, str]:
    """Return kind and message for an archive that cannot be opened."""
    if body.startswith(GZIP):
        return "gzip", "the gzip data is damaged or cut off; send it again"
    kind = "zip" if body.startswith(ZIP) else "tar"
    return kind, f"the {kind} archive cannot be read ({error}); send it again"


def _is_tar(body: bytes) -> bool:
    return body[TAR_MAGIC_AT : TAR_MAGIC_AT + len(TAR_MAGIC)] == TAR_MAGIC


def _why_ignored(member: UploadedFile) -> str | None:
    base = member.name.rsplit("/", 1)[-1]
    if "__MACOSX/" in f"/{member.name}" or base.startswith("._"):
        return "metadata of macOS"
    if not member.body:
        return "empty"
    if not base.lower().endswith(REPORT_ENDINGS):
        return "not a report by its name"
    return None
