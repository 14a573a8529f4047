"""Stream XML into raw suites and cases: no entities, no network, bounded depth, text and number."""

from dataclasses import dataclass, field
from xml.parsers import expat

from triage.parse.bounded_text import BoundedText
from triage.parse.limits import Limits

# The bundled expat is quadratic on one huge token when it is fed in small pieces.
CHUNK_BYTES = 2**20
# Wraps the documents of a file that holds several; itself no part of any.
WRAPPER = "tiebreak-documents"

RESULT_TAGS = frozenset({"failure", "error", "skipped"})
RETRY_TAGS = frozenset({"rerunFailure", "rerunError", "flakyFailure", "flakyError"})
OUTPUT_TAGS = frozenset({"system-out", "system-err"})
SUITE_TAGS = frozenset({"testsuite", "testsuites"})

Attributes = dict[str, str]


class RefusedXmlError(Exception):
    """The document is well-formed as far as it goes, and is not taken."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(slots=True)
class RawChild:
    """An element below a case or a suite that says how it ended, with its text."""

    tag: str
    attributes: Attributes
    text: BoundedText | None = None

    @property
    def body(self) -> str:
        """The element's text."""
        return str(self.text) if self.text else ""


@dataclass(slots=True)
class RawSuite:
    """A suite as it stands in the file. ``path`` names the suites it lies in, itself last."""

    path: tuple[str, ...]
    attributes: Attributes
    properties: list[tuple[str, str]] = field(default_factory=list)
    results: list[RawChild] = field(default_factory=list)
    parent: "RawSuite | None" = None
    cases: int = 0


@dataclass(slots=True)
class RawCase:
    """A case as it stands in the file; ``children`` and ``properties`` are often empty."""

    suite: RawSuite
    attributes: Attributes
    children: list[RawChild] = field(default_factory=list)
    properties: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class RawDocument:
    """A report as it stands in the file."""

    root: str = ""
    suites: list[RawSuite] = field(default_factory=list)
    cases: list[RawCase] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    # A tag that would be a case if it were spelt as one.
    misspelt: str = ""


class XmlStream:
    """Feeds one document through expat; ``document`` grows as it is read."""

    def __init__(self, limits: Limits) -> None:
        self.document = RawDocument()
        self._limits = limits
        self._open: list[str] = []
        self._suites = [RawSuite((), {})]
        self._case: RawCase | None = None
        self._child: RawChild | None = None
        self._property: str | None = None
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    def read(self, text: str) -> None:
        """Read a whole document; raise ``expat.ExpatError`` or ``RefusedXmlError``."""
        data = text.encode("utf-8", "replace")
        for start in range(0, len(data), CHUNK_BYTES):
            self._parser.Parse(data[start : start + CHUNK_BYTES])
        self._parser.Parse(b"", True)  # noqa: FBT003 - expat takes it by position only

    def _start(self, tag: str, attributes: Attributes) -> None:
        tag = tag.rpartition(":")[2]
        self._open.append(tag)
        if tag == "testcase":
            self._start_case(attributes)
        elif tag in SUITE_TAGS and self._case is None:
            self._start_suite(tag, attributes)
        elif tag == "property":
            self._start_property(attributes)
        elif (
            tag in RESULT_TAGS
            or tag in RETRY_TAGS
            or (tag in OUTPUT_TAGS and self._case is not None and self._child is None)
        ):
            self._start_result(tag, attributes)
        elif tag != WRAPPER:
            self._note_root(tag)
            if tag.lower() == "testcase":
                self.document.misspelt = tag
        if len(self._open) > self._limits.depth:
            raise self._refusal(f"elements are nested deeper than {self._limits.depth}")

    def _start_case(self, attributes: Attributes) -> None:
        suite = self._suites[-1]
        suite.cases += 1
        self._case = RawCase(suite, attributes)
        if len(self.document.cases) >= self._limits.cases:
            raise self._refusal(f"the file holds more than {self._limits.cases} test cases")

    def _start_suite(self, tag: str, attributes: Attributes) -> None:
        self._note_root(tag)
        above = self._suites[-1]
        name = attributes.get("name", "")
        is_group = tag == "testsuites"
        suite = RawSuite(above.path if is_group else (*above.path, name), attributes, parent=above)
        self._suites.append(suite)
        self.document.suites.append(suite)

    def _start_property(self, attributes: Attributes) -> None:
        name = attributes.get("name", "")
        if "value" in attributes:
            self._add_property(name, attributes["value"])
        else:
            self._property = name
            self._child = RawChild("property", attributes)
            self._collect()

    def _add_property(self, name: str, value: str) -> None:
        owner = self._case.properties if self._case else self._suites[-1].properties
        if len(owner) < self._limits.properties:
            owner.append((name, value))

    def _start_result(self, tag: str, attributes: Attributes) -> None:
        self.document.tags.add(tag)
        self._child = RawChild(tag, attributes)
        if self._case is not None:
            self._case.children.append(self._child)
        else:
            self._suites[-1].results.append(self._child)
        self._collect()

    def _collect(self) -> None:
        if self._child is not None:
            self._child.text = BoundedText(self._limits.text_head, self._limits.text_tail)
            self._parser.CharacterDataHandler = self._child.text.append

    def _end(self, tag: str) -> None:
        tag = self._open.pop()
        if tag == "testcase" and self._case is not None:
            self.document.cases.append(self._case)
            self._case = self._child = None
        elif tag in SUITE_TAGS and self._case is None and len(self._suites) > 1:
            self._suites.pop()
        elif self._child is not None and tag == self._child.tag:
            self._end_child()

    def _end_child(self) -> None:
        if self._property is not None and self._child is not None:
            self._add_property(self._property, self._child.body)
            self._property = None
        self._child = None
        self._parser.CharacterDataHandler = None

    def _note_root(self, tag: str) -> None:
        if not self.document.root:
            self.document.root = tag

    def _refuse_doctype(self, *_: object) -> None:
        raise self._refusal(
            "a DOCTYPE is not taken: no test tool writes one, and entities can read files or "
            "fill the memory; remove the <!DOCTYPE …> line"
        )

    def _refusal(self, message: str) -> RefusedXmlError:
        return RefusedXmlError(message, self._parser.CurrentLineNumber)
