"""Make text that CI or a model wrote inert in Markdown: it is shown as it is, and does nothing.

Escapes alone are not enough on a forge, which looks for mentions, references and addresses after
Markdown was rendered. A word joiner, which nobody sees, keeps those apart.
"""

import re

# Control characters, and those that turn the reading direction around.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
WORD_JOINER = "\N{WORD JOINER}"
PUNCTUATION = re.compile(r"([\\`*_{}\[\]<>#|~&$]|^(?:[-+=]|\d+(?=[.)])))")
BACKTICKS = re.compile(r"`+")
# What a forge turns into a link or a mention wherever it stands.
ACTIVE = re.compile(r"@|#(?=\d)|[!%](?=\w)|:(?=//)|:(?=[\w+-]+:)|(?i:www)(?=\.)|(?i:GH)(?=-\d)")


def sentence(text: str) -> str:
    """Return text for running Markdown: every character stands for itself."""
    plain = _printable(text)
    joined = ACTIVE.sub(lambda found: found.group() + WORD_JOINER, plain)
    return PUNCTUATION.sub(_escaped, joined)


def _escaped(found: re.Match[str]) -> str:
    # A number is no punctuation: what makes it a list is the character behind it.
    return f"{found.group()}\\" if found.group().isdigit() else f"\\{found.group()}"


def code(text: str) -> str:
    """Return text as a code span that also fits into a cell of a table."""
    plain = _printable(text).strip() or " "
    ticks = "`" * (1 + max((len(run) for run in BACKTICKS.findall(plain)), default=0))
    padding = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{ticks}{padding}{plain}{padding}{ticks}".replace("|", "\\|")


def block(text: str, language: str = "") -> str:
    """Return text as a fenced block whose fence is longer than any within it."""
    lines = [UNSAFE.sub(REPLACEMENT, line) for line in text.replace("\r\n", "\n").split("\n")]
    body = "\n".join(lines)
    longest = max((len(run) for run in BACKTICKS.findall(body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def _printable(text: str) -> str:
    return UNSAFE.sub(REPLACEMENT, re.sub(r"\s+", " ", text))
