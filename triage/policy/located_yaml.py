"""YAML with the place of every key and value, and nothing of YAML that a policy has no use for.

The tree is built from the parser's events: no anchors that unfold without bound, no tags that make
objects, no recursion that deep nesting could exhaust, and scalars stay the text that was written,
so that a label ``no`` or ``1.0`` is not turned into something else.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

DEEPEST = 12
NULLS = frozenset({"", "~", "null"})
NO_TAG = ("", "!", None)


@dataclass(frozen=True, slots=True)
class Place:
    """Line and column, both from 1."""

    line: int
    column: int


START = Place(1, 1)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with the YAML itself."""

    place: Place
    message: str


@dataclass(slots=True)
class Node:
    """A value and where it stands. ``keys`` holds the places of a mapping's keys."""

    place: Place
    value: str | None = None
    mapping: dict[str, "Node"] | None = None
    sequence: list["Node"] | None = None
    keys: dict[str, Place] = field(default_factory=dict)

    def plain(self) -> object:
        """Return the value without places."""
        if self.mapping is not None:
            return {key: node.plain() for key, node in self.mapping.items()}
        if self.sequence is not None:
            return [node.plain() for node in self.sequence]
        return self.value


@dataclass(slots=True)
class _Open:
    """A mapping or sequence whose end has not come."""

    node: Node
    key: str | None = None
    key_place: Place = START


@dataclass(slots=True)
class LocatedYaml:
    """The tree of a text, ``None`` when it is empty or cannot be read, with all faults."""

    root: Node | None = None
    faults: list[Fault] = field(default_factory=list)


def read_located(text: str) -> LocatedYaml:
    """Read a text; what cannot be read is among the faults, never raised."""
    read = LocatedYaml()
    try:
        _build(read, text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(mark.line + 1, mark.column + 1) if mark else START
        read.faults.append(
            Fault(place, _explain(error.problem or error.context or "", text, place))
        )
        read.root = None
    except YAMLError as error:
        read.faults.append(Fault(START, f"cannot be read as YAML: {str(error).splitlines()[0]}"))
        read.root = None
    return read


def _build(read: LocatedYaml, text: str) -> None:
    open_nodes: list[_Open] = []
    documents = 0
    for event in _events(text):
        fault = _refused(event, len(open_nodes), documents)
        documents += isinstance(event, DocumentStartEvent)
        if fault:
            read.faults.append(Fault(_place(event), fault))
            read.root = None
            return
        if isinstance(event, MappingEndEvent | SequenceEndEvent):
            open_nodes.pop()
        elif isinstance(event, ScalarEvent | MappingStartEvent | SequenceStartEvent):
            _take(read, open_nodes, event)


def _events(text: str) -> Iterator[Event]:
    yield from YAML(typ="safe", pure=True).parse(text)


def _refused(event: Event, depth: int, documents: int) -> str | None:
    if isinstance(event, AliasEvent) or getattr(event, "anchor", None):
        return "anchors and aliases (&, *) have no place in a policy; write the value out"
    if isinstance(event, DocumentStartEvent) and documents:
        return "a policy is one document; remove the second '---'"
    if depth > DEEPEST:
        return f"nested deeper than {DEEPEST} levels"
    tag = getattr(event, "tag", None)
    if tag not in NO_TAG:
        return f"tags such as {tag} have no place in a policy"
    return None


def _take(read: LocatedYaml, open_nodes: list[_Open], event: Event) -> None:
    parent = open_nodes[-1] if open_nodes else None
    if parent and parent.node.mapping is not None and parent.key is None:
        _take_key(read, parent, event)
        if not isinstance(event, ScalarEvent):
            open_nodes.append(_Open(_node(event)))
        return
    node = _node(event)
    if parent is None:
        read.root = node
    elif parent.node.sequence is not None:
        parent.node.sequence.append(node)
    elif parent.node.mapping is not None and parent.key is not None:
        if parent.key in parent.node.mapping:
            first = parent.node.keys[parent.key]
            message = f"the key {parent.key!r} stands in line {first.line} already"
            read.faults.append(Fault(parent.key_place, message))
        else:
            parent.node.keys[parent.key] = parent.key_place
            parent.node.mapping[parent.key] = node
        parent.key = None
    if not isinstance(event, ScalarEvent):
        open_nodes.append(_Open(node))


def _take_key(read: LocatedYaml, parent: _Open, event: Event) -> None:
    place = _place(event)
    if isinstance(event, ScalarEvent):
        parent.key, parent.key_place = event.value, place
        return
    read.faults.append(Fault(place, "a key must be a word, not a list or a mapping"))
    parent.key, parent.key_place = "", place


def _node(event: Event) -> Node:
    if isinstance(event, MappingStartEvent):
        return Node(_place(event), mapping={})
    if isinstance(event, ScalarEvent):
        is_plain = event.implicit[0]
        is_null = is_plain and event.value in NULLS
        return Node(_place(event), value=None if is_null else event.value)
    return Node(_place(event), sequence=[])


def _place(event: Event) -> Place:
    return Place(event.start_mark.line + 1, event.start_mark.column + 1)


def _explain(problem: str, text: str, place: Place) -> str:
    lines = text.splitlines()
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    if "\t" in line[: place.column]:
        return "a tab stands where YAML takes spaces only; indent with spaces"
    return f"cannot be read as YAML: {problem}"
