"""Stream XML into raw suites and cases: no entities, no network, bounded depth, text and number."""

from collections import Counter
from collections.abc import Callable
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
# Elements without a reading of their own that every tool may write.
SILENT_TAGS = frozenset({"properties", "stackTrace", WRAPPER})

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
    line: int = 0

    @property
    def is_outermost(self) -> bool:
        """Whether it is the root of its document."""
        return self.parent is not None and self.parent.parent is None


class RawCase:
    """A case as it stands in the file. ``line`` is known where something stands in the case."""

    __slots__ = ("attributes", "children", "line", "properties", "suite")

    # Nearly all cases are plain passes, which share these and cost nothing more.
    children: list[RawChild] | tuple[()]
    properties: list[tuple[str, str]] | tuple[()]

    def __init__(self, suite: RawSuite, attributes: Attributes) -> None:
        self.suite = suite
        self.attributes = attributes
        self.children = ()
        self.properties = ()
        self.line = 0


@dataclass(slots=True)
class RawDocument:
    """A report as it stands in the file."""

    root: str = ""
    suites: list[RawSuite] = field(default_factory=list)
    cases: list[RawCase] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    unknown: Counter[str] = field(default_factory=Counter)
    # A tag that would be a case if it were spelt as one.
    misspelt: str = ""
    dropped_properties: int = 0


Start = Callable[[str, Attributes], None]
End = Callable[[str], None]


class XmlStream:
    """Feeds one document through expat; ``document`` grows as it is read."""

    def __init__(self, limits: Limits) -> None:
        self.document = RawDocument()
        self._limits = limits
        self._deepest = limits.depth
        self._most_properties = limits.properties
        self._depth = 0
        self._cases = self.document.cases
        self._suite = RawSuite((), {})
        self._case: RawCase | None = None
        self._child: RawChild | None = None
        self._property: str | None = None
        # Handlers by tag; a tag that is new, or has a prefix, is added as it is met.
        self._starts: dict[str, Start] = {
            "testcase": self._start_case,
            "property": self._start_property,
            **dict.fromkeys(SUITE_TAGS, self._start_suite),
            **dict.fromkeys(RESULT_TAGS | RETRY_TAGS, self._start_result),
            **dict.fromkeys(OUTPUT_TAGS, self._start_output),
            **dict.fromkeys(SILENT_TAGS, _ignore_start),
        }
        self._ends: dict[str, End] = {
            "testcase": self._end_case,
            **dict.fromkeys(SUITE_TAGS, self._end_suite),
            **dict.fromkeys(RESULT_TAGS | RETRY_TAGS | OUTPUT_TAGS | {"property"}, self._end_child),
        }
        self._parser = self._make_parser()

    def read(self, text: str) -> None:
        """Read a whole document; raise ``expat.ExpatError`` or ``RefusedXmlError``."""
        data = text.encode("utf-8", "replace")
        parser = self._parser
        try:
            for start in range(0, len(data), CHUNK_BYTES):
                parser.Parse(data[start : start + CHUNK_BYTES])
            parser.Parse(b"", True)  # noqa: FBT003 - expat takes it by position only
        finally:
            self._release()

    def _release(self) -> None:
        """Let go of the handlers, which hold this object and all it has read in a cycle."""
        self._starts.clear()
        self._ends.clear()
        self._parser.StartElementHandler = None
        self._parser.EndElementHandler = None
        self._parser.CharacterDataHandler = None
        self._parser.StartDoctypeDeclHandler = None

    def _make_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        return parser

    def _start(self, tag: str, attributes: Attributes) -> None:
        self._depth += 1
        if tag == "testcase":
            # The fast way for what most elements are.
            self._case = RawCase(self._suite, attributes)
            return
        if self._depth > self._deepest:
            raise self._refusal(
                f"elements are nested deeper than {self._deepest}, which no test tool does"
            )
        start = self._starts.get(tag)
        if start is None:
            start = self._starts.get(_local(tag), self._start_other)
            self._starts[tag] = start
        start(tag, attributes)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if tag == "testcase":
            self._end_case(tag)
            return
        if tag == "property" and self._property is None:
            return
        end = self._ends.get(tag)
        if end is None:
            end = self._ends.get(_local(tag), _ignore_end)
            self._ends[tag] = end
        end(tag)

    def _start_case(self, tag: str, attributes: Attributes) -> None:
        self._case = RawCase(self._suite, attributes)

    def _end_case(self, tag: str) -> None:
        case = self._case
        if case is None:
            return
        self._cases.append(case)
        self._case = self._child = None
        if len(self._cases) > self._limits.cases:
            raise self._refusal(
                f"the file holds more than {self._limits.cases} test cases; send it in parts"
            )

    def _start_suite(self, tag: str, attributes: Attributes) -> None:
        if self._case is not None:
            return
        tag = _local(tag)
        if not self.document.root:
            self.document.root = tag
        above = self._suite
        name = self._limits.bounded_name(attributes.get("name", ""))
        path = above.path if tag == "testsuites" else (*above.path, name)
        suite = RawSuite(path, attributes, parent=above, line=self._parser.CurrentLineNumber)
        self._suite = suite
        self.document.suites.append(suite)

    def _end_suite(self, tag: str) -> None:
        if self._case is None and self._suite.parent is not None:
            self._suite = self._suite.parent

    def _start_property(self, tag: str, attributes: Attributes) -> None:
        name, value = attributes.get("name", ""), attributes.get("value")
        if value is None:
            self._property = name
            self._collect(RawChild("property", attributes), self._limits.property_text)
        else:
            self._add_property(name, value)

    def _add_property(self, name: str, value: str) -> None:
        case = self._case
        told = self._suite.properties if case is None else case.properties
        if isinstance(told, tuple):
            case = self._noted_case()
            case.properties = [(name, value)]
        elif len(told) < self._most_properties:
            told.append((name, value))
        else:
            self.document.dropped_properties += 1

    def _noted_case(self) -> RawCase:
        """Return the open case with the line on which something first stands in it."""
        case = self._case or RawCase(self._suite, {})
        case.line = case.line or self._parser.CurrentLineNumber
        return case

    def _start_result(self, tag: str, attributes: Attributes) -> None:
        child = RawChild(_local(tag), attributes)
        self.document.tags.add(child.tag)
        case = self._case
        if case is None:
            self._suite.results.append(child)
        elif case.children:
            case.children.append(child)
        else:
            self._noted_case().children = [child]
        self._collect(child, self._limits.text_head)

    def _start_output(self, tag: str, attributes: Attributes) -> None:
        if self._child is not None:
            # What a retry printed is no part of its failure.
            self._parser.CharacterDataHandler = None
        elif self._case is not None:
            self._start_result(tag, attributes)

    def _start_other(self, tag: str, attributes: Attributes) -> None:
        tag = _local(tag)
        if not self.document.root:
            self.document.root = tag
        elif len(self.document.unknown) < self._limits.properties:
            self.document.unknown[tag[:60]] += 1
        if tag.lower() == "testcase":
            self.document.misspelt = tag

    def _collect(self, child: RawChild, head: int) -> None:
        child.text = BoundedText(head, self._limits.text_tail)
        self._child = child
        self._parser.CharacterDataHandler = child.text.append

    def _end_child(self, tag: str) -> None:
        child = self._child
        if child is None:
            return
        if child.tag != _local(tag):
            if child.text is not None:
                self._parser.CharacterDataHandler = child.text.append
            return
        if self._property is not None:
            self._add_property(self._property, child.body)
            self._property = None
        self._child = None
        self._parser.CharacterDataHandler = None

    def _refuse_doctype(self, *_: object) -> None:
        raise self._refusal(
            "a DOCTYPE is not taken: no test tool writes one, and entities can read files or "
            "fill the memory; remove the <!DOCTYPE …> line"
        )

    def _refusal(self, message: str) -> RefusedXmlError:
        return RefusedXmlError(message, self._parser.CurrentLineNumber)


def _local(tag: str) -> str:
    """Return a tag without its namespace's prefix."""
    return tag.rpartition(":")[2]


def _ignore_start(tag: str, attributes: Attributes) -> None:
    """Nothing starts with this element."""


def _ignore_end(tag: str) -> None:
    """Nothing ends with this element."""
