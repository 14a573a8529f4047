"""The operations of GitLab's API that the product uses, with the fields that GitLab documents.

https://docs.gitlab.com/api/commits/, https://docs.gitlab.com/api/notes/,
https://docs.gitlab.com/api/projects/, https://docs.gitlab.com/api/users/
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PAGE = {"page": "integer", "per_page": "integer"}
TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
}
STATES = ("pending", "running", "success", "failed", "canceled", "skipped")
LONGEST = {"description": 255, "target_url": 255, "body": 1_000_000}


@dataclass(frozen=True)
class Operation:
    """One operation: its parameters and the fields of its answer, by their documented types."""

    name: str
    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()

    def match(self, method: str, path: str) -> re.Match[str] | None:
        """Return the parameters of a path that is this operation's."""
        pattern = re.sub(r":(\w+)", r"(?P<\1>[^/]+)", self.path)
        return re.fullmatch(pattern, path) if method == self.method else None

    def wrong(self, query: Mapping[str, str], body: Any) -> list[str]:
        """Return what is wrong with a request."""
        told = body or {}
        wrong = [f"query {name}: not documented" for name in query if name not in self.query]
        wrong += [f"body {name}: not documented" for name in told if name not in self.body]
        wrong += [f"body {name}: is required" for name in self.required if name not in told]
        for name, value in told.items():
            kind = self.body.get(name, "string")
            if not isinstance(value, TYPES[kind]):
                wrong.append(f"body {name}: must be {kind}, got {value!r}")
            elif isinstance(value, str) and len(value) > LONGEST.get(name, 10_000):
                wrong.append(f"body {name}: has {len(value)} characters")
        if "state" in told and told["state"] not in STATES:
            wrong.append(f"body state: {told['state']!r} is not among {STATES}")
        numbers = [name for name, kind in self.query.items() if kind == "integer"]
        return wrong + [
            f"query {name}: must be an integer"
            for name in numbers
            if name in query and not query[name].isdigit()
        ]


OPERATIONS = (
    Operation("user", "GET", "/user"),
    Operation("project", "GET", "/projects/:id"),
    Operation(
        "list statuses", "GET", "/projects/:id/repository/commits/:sha/statuses",
        query={
            "all": "boolean", "name": "string", "order_by": "string", "pipeline_id": "integer",
            "ref": "string", "sort": "string", "stage": "string", **PAGE,
        },
    ),
    Operation(
        "set status", "POST", "/projects/:id/statuses/:sha",
        body={
            "state": "string", "coverage": "number", "context": "string", "name": "string",
            "description": "string", "pipeline_id": "integer", "ref": "string",
            "target_url": "string",
        },
        required=("state",),
    ),
    Operation(
        "list notes", "GET", "/projects/:id/merge_requests/:iid/notes",
        query={"sort": "string", "order_by": "string", **PAGE},
    ),
    Operation("get note", "GET", "/projects/:id/merge_requests/:iid/notes/:note_id"),
    Operation(
        "add note", "POST", "/projects/:id/merge_requests/:iid/notes",
        body={"body": "string", "created_at": "string", "internal": "boolean"},
        required=("body",),
    ),
    Operation(
        "change note", "PUT", "/projects/:id/merge_requests/:iid/notes/:note_id",
        body={"body": "string"},
        required=("body",),
    ),
)  # fmt: skip
