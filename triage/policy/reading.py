"""From the text of a policy to the policy, or to everything that is wrong with it at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from triage.parse.storable import storable
from triage.policy.complaints import complaint
from triage.policy.document import Policy
from triage.policy.located_yaml import START, Node, Place, read_located

LARGEST_BYTES = 64 * 1024
MOST_VALUE_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class PolicyError:
    """One thing that is wrong, where it stands, and what to write in its place."""

    line: int
    column: int
    # Where in the document: "budgets[0].rate"; empty for the document as a whole.
    path: str
    # What stands there, cut for display; empty where something is missing.
    value: str
    message: str

    def __str__(self) -> str:
        path = f"{self.path}: " if self.path else ""
        return f"line {self.line}, column {self.column}: {path}{self.message}"

    def as_json(self) -> dict[str, Any]:
        """Return the error as the API and the table hold it."""
        return {
            "line": self.line,
            "column": self.column,
            "path": self.path,
            "value": self.value,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class PolicyReading:
    """A policy, or ``None`` and the reasons, in the order of lines."""

    policy: Policy | None
    errors: tuple[PolicyError, ...] = ()


def decode(body: bytes) -> tuple[str, PolicyReading | None]:
    """Return a file's text, with a refusal where it is too large or no text."""
    text = storable(body[:LARGEST_BYTES].decode("utf-8-sig", "replace"))
    if len(body) > LARGEST_BYTES:
        return text, _refusal(f"the file holds {len(body)} bytes, the limit is {LARGEST_BYTES}")
    at = _first_wrong_byte(body)
    if at is None:
        return text, None
    line = body[:at].count(b"\n") + 1
    return text, _refusal(f"byte {at} is no UTF-8 text; save the file as UTF-8", line)


def _first_wrong_byte(body: bytes) -> int | None:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    zero = body.find(b"\0")
    return zero if zero >= 0 else None


@lru_cache(maxsize=256)
def read_policy(text: str) -> PolicyReading:
    """Read the text of a policy; every error is told, none is raised."""
    if len(text.encode("utf-8", "replace")) > LARGEST_BYTES:
        return _refusal(f"the policy is longer than {LARGEST_BYTES} bytes")
    read = read_located(text)
    faults = [PolicyError(f.place.line, f.place.column, "", "", f.message) for f in read.faults]
    if read.root is None or read.root.mapping is None:
        return PolicyReading(None, tuple(faults) or _no_mapping(read.root).errors)
    try:
        policy = Policy.model_validate(read.root.plain())
    except ValidationError as error:
        faults += [_located(detail, read.root) for detail in error.errors()]
        policy = None
    errors = tuple(sorted(faults, key=lambda each: (each.line, each.column)))
    return PolicyReading(None if errors else policy, errors)


def _no_mapping(root: Node | None) -> PolicyReading:
    place = root.place if root else START
    message = "a policy is a mapping that begins with 'version: 1'"
    return PolicyReading(None, (PolicyError(place.line, place.column, "", "", message),))


def _refusal(message: str, line: int = 1) -> PolicyReading:
    return PolicyReading(None, (PolicyError(line, 1, "", "", message),))


def _located(detail: Mapping[str, Any], root: Node) -> PolicyError:
    kind, location = str(detail["type"]), detail["loc"]
    node, path, place = _walk(root, location)
    if kind == "extra_forbidden" and location:
        place = _key_place(root, location) or place
    value = _shown(node) if kind != "missing" else ""
    return PolicyError(place.line, place.column, path, value, complaint(detail, value))


def _walk(root: Node, location: Sequence[str | int]) -> tuple[Node, str, Place]:
    """Follow a location as far as it exists; the tag of a union is no place in the document."""
    node, path = root, ""
    for step in location:
        if isinstance(step, int) and node.sequence is not None and step < len(node.sequence):
            node, path = node.sequence[step], f"{path}[{step}]"
        elif node.mapping is not None and step in node.mapping:
            node, path = node.mapping[str(step)], f"{path}.{step}".lstrip(".")
    return node, path, node.place


def _key_place(root: Node, location: Sequence[str | int]) -> Place | None:
    parent, _, _ = _walk(root, location[:-1])
    return parent.keys.get(str(location[-1]))


def _shown(node: Node) -> str:
    value = node.plain()
    text = "" if value is None else str(value)
    return text if len(text) <= MOST_VALUE_CHARACTERS else text[:MOST_VALUE_CHARACTERS] + "…"
