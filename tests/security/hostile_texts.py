"""Texts that would be more than text wherever they are not shown as text."""

import re

# Every name, address and script of ours that must stay a word is spelled with this.
MARK = "ev1l"
# Scripts of addresses, formulas and mentions count at the beginning of a field alone.
OPENINGS = {
    "script": f'"><script>{MARK}()</script>',
    "address": f"javascript:{MARK}()",
    "formula": f"=cmd|'/C {MARK}'!A1",
    "mention": f"@{MARK}",
}
ANYWHERE = (
    f"<img src=x onerror={MARK}()>",
    f"' onfocus='{MARK}()",
    "]]>",
    f"[x](//{MARK}.example)![y](//{MARK}.example/y)",
    f"@{MARK}",
)
UNPRINTABLE = "\x1b[31m\u202e"
LONGEST_NAME = 150
# Markdown shows a tilde behind a backslash.
FIELD = re.compile(r"~([\w-]+)\\?~")


class Hostile:
    """Fields that all begin with the same attack, hold every other one, and name themselves."""

    def __init__(self, opening: str) -> None:
        self._opening = OPENINGS[opening]

    def name(self, field: str) -> str:
        """Return a field that takes 150 printable characters in one line."""
        text = " ".join((self._opening, f"~{field}~", *ANYWHERE))
        assert len(text) <= LONGEST_NAME, len(text)
        return text

    def word(self, field: str) -> str:
        """Return a field that takes no spaces."""
        return self.name(field).replace(" ", "/")

    def file(self, field: str) -> str:
        """Return a field that takes no slashes."""
        return self.name(field).replace("/", "")

    def text(self, field: str) -> str:
        """Return a field that takes whatever JSON can hold."""
        return self.name(field) + UNPRINTABLE

    def xml(self, field: str) -> str:
        """Return a field that takes whatever XML can hold."""
        return self.name(field) + "\u202e"


def fields_in(text: str) -> set[str]:
    """Return the fields that a text shows."""
    return set(FIELD.findall(text))
