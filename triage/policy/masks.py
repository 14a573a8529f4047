"""Patterns of what must not be stored: a small language of regular expressions, linear in time.

Failure texts come from CI and are hostile, and patterns of a policy run over all of them. What can
repeat without bound, or refer back, can be made to run for hours; so it is refused here.
"""

import re

MOST_PATTERN_CHARACTERS = 200
# Ways in which one place of a text may be tried, by one pattern and by all of a policy: bounds the
# work per character.
MOST_WAYS = 2_000

TOKEN = re.compile(
    r"(?P<back>\\[1-9])|(?P<escape>\\.)|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<group>\((?:\?:)?(?!\?))"
    r"|(?P<special>\(\?)|(?P<close>\))|(?P<bounded>\{(?P<low>\d{1,4})(?:,(?P<high>\d{1,4}))?\}[?+]?)"
    r"|(?P<unbounded>[*+]|\{\d*,?\d*\})|(?P<maybe>\?)|(?P<or>\|)|(?P<other>.)",
    re.DOTALL,
)


def check_mask(pattern: str) -> str:
    """Return the pattern; raise ``ValueError`` where it is not legal or could take long."""
    if len(pattern) > MOST_PATTERN_CHARACTERS:
        raise ValueError(
            f"must have at most {MOST_PATTERN_CHARACTERS} characters, got {len(pattern)}"
        )
    ways = ways_of(pattern)
    if ways > MOST_WAYS:
        raise ValueError(
            f"may be tried in {ways} ways at one place of a text, the limit is {MOST_WAYS}; "
            f"shorten the repeats of {pattern!r}"
        )
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is no regular expression: {error}, got {pattern!r}") from error
    if compiled.match(""):
        raise ValueError(f"matches where nothing stands, got {pattern!r}; make it need a character")
    return pattern


def ways_of(pattern: str) -> int:
    """Return an upper bound of the ways to try the pattern at one place."""
    ways, is_after_group = 1, False
    for token in TOKEN.finditer(pattern):
        kind = str(token.lastgroup if token.lastgroup not in {"low", "high"} else "bounded")
        _refuse(kind, token[0], pattern, is_after_group=is_after_group)
        if kind == "bounded":
            ways *= 1 + int(token["high"] or token["low"]) - int(token["low"])
        ways *= 2 if kind in {"maybe", "or"} else 1
        is_after_group = kind == "close"
    return ways


def _refuse(kind: str, text: str, pattern: str, *, is_after_group: bool) -> None:
    if kind == "unbounded":
        raise ValueError(
            f"repeats without a bound at {text!r} in {pattern!r}; write how often, such as "
            "{1,100}"
        )
    if kind in {"back", "special"}:
        raise ValueError(
            f"{text!r} in {pattern!r} is not allowed: no look-around, flags or references"
        )
    if kind == "bounded" and is_after_group:
        raise ValueError(f"repeats a group with {text!r} in {pattern!r}; repeat single characters")
