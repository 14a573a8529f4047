"""Text that every database can hold: escapes of JSON and of reprs may stand for what none can."""

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def storable(text: str) -> str:
    """Return a text without U+0000 and without halves of surrogate pairs."""
    if "\0" in text:
        text = text.replace("\0", REPLACEMENT)
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")
