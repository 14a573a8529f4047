"""How much of an upload is read; everything beyond is refused or cut, and said so."""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of an upload. Sizes are in bytes, lengths in characters."""

    compressed_bytes: int = 64 * 2**20
    decompressed_bytes: int = 512 * 2**20
    # Reports compress thirty times at most; what compresses better is a bomb once it is large.
    ratio: int = 200
    ratio_free_bytes: int = 16 * 2**20
    files: int = 2_000
    # A tool's own results as JSON, in characters; they become many times as large in memory.
    side_file: int = 32 * 2**20
    # The deepest report seen in the wild nests a handful of suites.
    depth: int = 64
    cases: int = 200_000
    properties: int = 200
    # Longer names are cut and keep their identity by a digest of the whole.
    name: int = 1_000
    # Rows of data that share one name; beyond, one name is one test.
    rows: int = 1_000
    attribute: int = 4_000
    # A thousand observations as JSON.
    property_text: int = 256_000
    # Head and tail of a text: the assertion stands at one end or the other.
    text_head: int = 12_000
    text_tail: int = 4_000

    def bounded_name(self, name: str) -> str:
        """Return a name as it is kept: a long one cut, and told apart by a digest of the whole."""
        if len(name) <= self.name:
            return name
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{name[: self.name - len(digest) - 2]}…#{digest}"


DEFAULT_LIMITS = Limits()
