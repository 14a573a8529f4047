"""Make ill-formed XML of real tools readable, and say what was repaired at which line."""

import re
from dataclasses import dataclass, field

from triage.parse.report import ReadWarning

# Control characters that no XML may hold; tab, newline and carriage return may stay.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
REFERENCE = re.compile(r"&#(?:x([0-9A-Fa-f]{1,8})|([0-9]{1,8}));")
BARE_AMPERSAND = re.compile(r"&(?!(?:[A-Za-z][A-Za-z0-9]*|#[0-9]+|#x[0-9A-Fa-f]+);)")
UNKNOWN_ENTITY = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)([A-Za-z][\w.]*);"
)
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
DECLARATION = re.compile(r"<\?xml[^>]*\?>")
START = re.compile(r"<\?xml|<(?:[A-Za-z_][\w.-]*:)?testsuites?\b|<!DOCTYPE|<[A-Za-z]")
CDATA = re.compile(r"<!\[CDATA\[.*?\]\]>", re.DOTALL)
TAG_NAMES = (
    "testsuites|testsuite|testcase|failure|error|skipped|properties|property|system-out|"
    "system-err|rerunFailure|rerunError|flakyFailure|flakyError|stackTrace"
)
KNOWN_TAG = re.compile(rf"</?(?:[A-Za-z_][\w.-]*:)?(?:{TAG_NAMES})\b|<!--|<!\[CDATA\[|<\?")
OPEN_TAG = re.compile(rf"<(?:[A-Za-z_][\w.-]*:)?(?:{TAG_NAMES})\b")
ATTRIBUTE = re.compile(r"\s+([A-Za-z_:][\w:.-]*)\s*=\s*([\"'])")
# What follows the quote that really ends an attribute: another attribute, or the tag's end.
AFTER_VALUE = re.compile(r"\s*(?:/?>|\s[A-Za-z_:][\w:.-]*\s*=\s*[\"'])")


@dataclass(slots=True)
class Repaired:
    """A document that a strict parser should accept, and what was done to it."""

    text: str
    warnings: list[ReadWarning] = field(default_factory=list)

    def note(self, message: str, position: int) -> None:
        """Add a warning for a place in the text."""
        self.warnings.append(ReadWarning(message, self.text.count("\n", 0, position) + 1))


def repair_characters(text: str) -> Repaired:
    """Replace characters and references that XML does not allow by U+FFFD."""
    done = Repaired(text)
    first = CONTROL.search(text)
    if first:
        count = len(CONTROL.findall(text))
        done.note(f"{count} control characters were replaced", first.start())
        done.text = text = CONTROL.sub(REPLACEMENT, text)
    bad = [match for match in REFERENCE.finditer(text) if not _is_legal(match)]
    if bad:
        done.note(f"{len(bad)} illegal character references were replaced", bad[0].start())
        done.text = REFERENCE.sub(lambda m: m[0] if _is_legal(m) else REPLACEMENT, text)
    return done


def repair_markup(text: str) -> Repaired:
    """Escape what stands unescaped in text and attributes: &, <, quotes, ]]>.

    Tags of JUnit's own vocabulary are taken for markup, everything else for text.
    """
    done = Repaired(text)
    pieces: list[str] = []
    position = 0
    for tag in OPEN_TAG.finditer(text):
        if tag.start() < position:
            continue
        pieces.append(_escaped_text(done, text, position, tag.start()))
        position = _close_of(text, tag.end())
        pieces.append(_mended_tag(done, text, tag.start(), position))
    pieces.append(_escaped_text(done, text, position, len(text)))
    done.text = "".join(pieces)
    return done


def split_documents(text: str) -> Repaired:
    """Cut text before the first element, and join several documents under one root."""
    done = Repaired(text)
    start = START.search(text)
    if start and text[: start.start()].strip():
        done.note("text before the first element was ignored", 0)
    body = text[start.start() :] if start else text
    declarations = list(DECLARATION.finditer(body))
    if len(declarations) > 1:
        done.warnings.append(ReadWarning(f"{len(declarations)} documents in one file were joined"))
    done.text = DECLARATION.sub("", body)
    return done


def _is_legal(match: re.Match[str]) -> bool:
    code = int(match[1], 16) if match[1] else int(match[2])
    if code in (0x9, 0xA, 0xD):
        return True
    return 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF


def _close_of(text: str, position: int) -> int:
    """Return where the tag that is open at a position ends, stray quotes skipped."""
    while True:
        attribute = ATTRIBUTE.match(text, position)
        if not attribute:
            end = text.find(">", position)
            return len(text) if end < 0 else end + 1
        position = _end_of_value(text, attribute.end(), attribute[2])


def _end_of_value(text: str, start: int, quote: str) -> int:
    """Return the position behind the quote that ends a value."""
    position = start
    while True:
        end = text.find(quote, position)
        if end < 0:
            return len(text)
        if AFTER_VALUE.match(text, end + 1):
            return end + 1
        position = end + 1


def _mended_tag(done: Repaired, text: str, start: int, end: int) -> str:
    tag = text[start:end]
    name = OPEN_TAG.match(tag)
    if name is None:
        return tag
    pieces, position = [name[0]], name.end()
    while attribute := ATTRIBUTE.match(tag, position):
        stop = _end_of_value(tag, attribute.end(), attribute[2])
        value = tag[attribute.end() : max(stop - 1, attribute.end())]
        mended = _escaped(value).replace(
            attribute[2], "&quot;" if attribute[2] == '"' else "&apos;"
        )
        if mended != value:
            done.note(f"unescaped characters in attribute {attribute[1]} were escaped", start)
        pieces.append(f"{attribute[0]}{mended}{attribute[2]}")
        position = stop
    return "".join([*pieces, tag[position:]])


def _escaped_text(done: Repaired, text: str, start: int, end: int) -> str:
    """Escape a stretch between opening tags; CDATA and known closing tags stay."""
    pieces, position = [], start
    for section in CDATA.finditer(text, start, end):
        pieces += [_escaped_run(done, text, position, section.start()), section[0]]
        position = section.end()
    pieces.append(_escaped_run(done, text, position, end))
    return "".join(pieces)


def _escaped_run(done: Repaired, text: str, start: int, end: int) -> str:
    run = text[start:end]
    mended = _escaped(run, keep=KNOWN_TAG).replace("]]>", "]]&gt;")
    if mended != run:
        done.note("unescaped characters in text were escaped", start)
    return mended


def _escaped(text: str, keep: re.Pattern[str] | None = None) -> str:
    text = BARE_AMPERSAND.sub("&amp;", text)
    text = UNKNOWN_ENTITY.sub(r"&amp;\1;", text)
    if keep is None:
        return text.replace("<", "&lt;")
    return re.sub("<", lambda match: "<" if keep.match(text, match.start()) else "&lt;", text)
