"""How much of an upload is read; everything beyond is refused or cut, and said so."""

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
    # The deepest report seen in the wild nests a handful of suites.
    depth: int = 64
    cases: int = 200_000
    properties: int = 200
    # Names are identified whole by their digest, so what is kept is for reading only.
    name: int = 1_000
    attribute: int = 4_000
    # Head and tail of a text: the assertion stands at one end or the other.
    text_head: int = 12_000
    text_tail: int = 4_000


DEFAULT_LIMITS = Limits()
