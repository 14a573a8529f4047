"""Mask secrets and e-mail addresses in what a report tells, before it is stored.

Differences and fingerprints are read from the whole text first, so that masking changes no
judgement. Texts are hostile: the time of every pattern grows with the length of the text alone,
since whatever repeats in it has a bound or cannot begin anew inside of what it has passed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

POLICY = "policy"

# Masked already, so that masking twice changes nothing.
NOT_MASKED = r"(?!\[redacted:)"
# What a repr writes for a line's end may stand right before a secret.
START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"
# Tokens of vendors that say what they are.
API_KEYS = (
    r"sk-[A-Za-z0-9_-]{16,512}",
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,512}",
    r"(?:gsk|r8|hf|npm|whsec)_[A-Za-z0-9]{20,512}",
    r"gh[a-z]_[A-Za-z0-9]{20,512}",
    r"github_pat_[A-Za-z0-9_]{20,512}",
    r"(?:gl[a-z]{2,8}|pplx|pypi|dop_v1|tbk)[-_][A-Za-z0-9_-]{20,512}",
    r"xox[a-z]-[A-Za-z0-9-]{10,512}",
    r"xapp-[A-Za-z0-9-]{10,512}",
    r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])",
    r"AIza[A-Za-z0-9_-]{35}",
    r"ya29\.[A-Za-z0-9_-]{20,512}",
    r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}",
)
JWT = r"eyJ[A-Za-z0-9_-]{8,8192}+\.[A-Za-z0-9_-]{8,8192}+\.[A-Za-z0-9_-]{0,8192}+"
# Between the dashes of its first and last line; of a cut text as much as is left.
NOT_DASHES = r"(?:[^-…]|-(?!----))"
KEY_END = r"-----END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----"
PRIVATE_KEY = (
    r"-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:{NOT_DASHES}{{0,16000}}+{KEY_END}"
    r"|(?:(?:\s|\\[nrt]|[E|>\"'+,]){0,16}+[A-Za-z0-9+/=]{16,128}+){0,400}+)"
)
CUT_PRIVATE_KEY = rf"(?P<keep> cut …\]\n){NOT_DASHES}{{0,16000}}+{KEY_END}"
URL_CREDENTIALS = rf"(?P<keep>://){NOT_MASKED}[^\s/'\"<>]{{1,384}}(?=@)"
# Letters alone are prose about bearers unless there are many of them.
RANDOM = r"(?:(?=[^\s\"']{0,256}[0-9])|(?=[^\s\"']{20}))"
BEARER = rf"(?P<keep>\bbearer[ \t]{{1,4}}){RANDOM}[A-Za-z0-9._~+/=-]{{8,8192}}+"
HEADER = (
    rf"(?P<keep>\b(?:authorization|cookie): ){NOT_MASKED}"
    r"(?:(?:basic|bearer|digest|token|apikey) )?[^\s\"']{4,4096}+"
    r"(?:(?<=;) [^\s\"']{1,4096}+){0,50}+"
)
NAMES = (
    r"api[_-]?key|access[_-]?key(?:[_-]?id)?|private[_-]?key|secret(?:[_-]?(?:access[_-]?)?key)?"
    r"|passwd|password|passphrase|pwd(?==)"
)
# In quotes a secret is whatever they hold; without, a call or an index is code that fetches it.
QUOTED = r"(?:(?!(?P=quote))[^\n]){1,512}+"
BARE = r"[^\s\"'`,;&<>(){}\[\]\\]{6,256}+(?![(\[])"
# Texts about language models are full of tokens, which are words and numbers.
TOKEN = rf"(?![0-9.]{{1,256}}+(?!\w)){RANDOM}[^\s\"'`,;&<>(){{}}\[\]\\]{{8,512}}+(?![(\[])"
EMAIL = (
    r"[\w.%+-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?\.){1,8}"
    r"[A-Za-z]{2,24}(?![\w-])"
)


@dataclass(frozen=True, slots=True)
class Mask:
    """A pattern of what is masked; the part of it that is called ``keep`` stays."""

    kind: str
    pattern: re.Pattern[str]
    # One of these, in lower case, stands in every text that the pattern can match.
    hints: tuple[str, ...] = ("",)

    def apply(self, text: str, lowered: str) -> str:
        """Return the text with every match masked."""
        if not any(hint in lowered for hint in self.hints):
            return text
        return self.pattern.sub(self._masked, text)

    def _masked(self, match: re.Match[str]) -> str:
        kept = match["keep"] if "keep" in self.pattern.groupindex else ""
        return f"{kept}[redacted:{self.kind}]"


def _assigned(names: str, operators: str, value: str) -> re.Pattern[str]:
    """Return the pattern of a value that is assigned to one of these names."""
    return re.compile(
        rf"(?P<keep>(?:{names})(?:\\?[\"'])?[ \t]{{0,4}}(?:{operators})[ \t]{{0,4}}"
        rf"(?P<quote>\\?[\"'])?){NOT_MASKED}{value}",
        re.IGNORECASE,
    )


ALWAYS = (
    Mask("private-key", re.compile(PRIVATE_KEY), ("private key",)),
    Mask("private-key", re.compile(CUT_PRIVATE_KEY), ("private key",)),
    Mask("url-credentials", re.compile(URL_CREDENTIALS), ("://",)),
    Mask("web-token", re.compile(START + JWT), ("eyj",)),
    Mask(
        "api-key",
        re.compile(START + f"(?:{'|'.join(API_KEYS)})"),
        ("sk-", "_", "xox", "xapp-", "akia", "asia", "aiza", "ya29", "sg.", "gl", "pplx", "pypi"),
    ),
    Mask("header", re.compile(HEADER, re.IGNORECASE), ("authorization", "cookie")),
    Mask("token", re.compile(BEARER, re.IGNORECASE), ("bearer",)),
    Mask(
        "secret",
        _assigned(NAMES, "={1,3}|:=|=>|:", rf"(?(quote){QUOTED}|{BARE})"),
        ("key", "secret", "pass", "pwd"),
    ),
    Mask("token", _assigned(r"token", "=|:", TOKEN), ("token",)),
    Mask("email", re.compile(EMAIL), ("@",)),
)


class Redactor:
    """Masks what is secret in any text, and what further patterns match.

    The patterns are those of a policy, which has refused what could take long.
    """

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self._masks = (*ALWAYS, *(Mask(POLICY, re.compile(pattern)) for pattern in patterns))

    def redact(self, text: str) -> str:
        """Return the text with every secret replaced by ``[redacted:KIND]``."""
        lowered = text.lower()
        for mask in self._masks:
            text = mask.apply(text, lowered)
        return text
