"""GitHub's description of its API: which operation a request is, and what is wrong with it."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from openapi_schema_validator import OAS30Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT4

DATA = Path(__file__).parents[2] / "data" / "github"
# Parameters that hold slashes.
WHOLE_PATHS = ("path", "ref", "branch")
JSON_TYPE = "application/json"


@dataclass(frozen=True)
class Operation:
    """One operation with the parameters that a path gave it."""

    id: str
    pointer: str
    told: Mapping[str, Any]
    parameters: Mapping[str, str]


class Description:
    """The description of one edition: github.com or Enterprise Server."""

    def __init__(self, file: str) -> None:
        self.document = json.loads((DATA / file).read_text())
        _allow_null(self.document)
        _add_own_user(self.document)
        resource = Resource(contents=self.document, specification=DRAFT4)
        self.registry = Registry().with_resource("urn:github", resource)
        self.routes = sorted(self._routes(), key=_literal_first)

    def find(self, method: str, path: str) -> Operation | None:
        """Return the operation of a request; literal paths before those with parameters."""
        for pattern, template, verb, told in self.routes:
            match = pattern.fullmatch(path)
            if match and verb == method:
                pointer = f"/paths/{_escaped(template)}/{verb.lower()}"
                return Operation(told["operationId"], pointer, told, match.groupdict())
        return None

    def wrong_request(self, operation: Operation, query: Mapping[str, str], body: Any) -> list[str]:
        """Return what is wrong with a request."""
        known = {self._resolved(each)["name"] for each in operation.told.get("parameters", ())}
        wrong = [f"query {name}: not in the description" for name in query if name not in known]
        described = operation.told.get("requestBody")
        if body is None:
            return wrong
        if not described:
            return [*wrong, "the operation takes no body"]
        pointer = f"{operation.pointer}/requestBody/content/application~1json/schema"
        wrong += self._violations(pointer, body)
        schema = self._resolved(described["content"][JSON_TYPE]["schema"])
        properties = schema.get("properties", {})
        unknown = set(body) - set(properties) if properties else set()
        return wrong + [f"body {name}: not in the description" for name in sorted(unknown)]

    def wrong_answer(self, operation: Operation, status: int, body: object) -> list[str]:
        """Return what is wrong with an answer of ours."""
        told = operation.told["responses"].get(str(status))
        if told is None:
            return [f"status {status} is not in the description"]
        if body is None or JSON_TYPE not in (self._resolved(told).get("content") or {}):
            return []
        base = told["$ref"][1:] if "$ref" in told else f"{operation.pointer}/responses/{status}"
        return self._violations(f"{base}/content/application~1json/schema", body)

    def _violations(self, pointer: str, value: object) -> list[str]:
        errors = self._validator(pointer).iter_errors(value)
        return [
            f"{'.'.join(map(str, each.absolute_path))}: {each.message[:200]}" for each in errors
        ]

    @cache  # noqa: B019 - one description lives as long as the tests
    def _validator(self, pointer: str) -> Any:
        return OAS30Validator({"$ref": f"urn:github#{pointer}"}, registry=self.registry)

    def _routes(self) -> Iterator[tuple[re.Pattern[str], str, str, Any]]:
        for template, item in self.document["paths"].items():
            pattern = re.compile(re.sub(r"\{(\w+)\}", _group, template.replace(".", r"\.")))
            for verb, told in item.items():
                if isinstance(told, dict) and "operationId" in told:
                    yield pattern, template, verb.upper(), told

    def _resolved(self, node: Any) -> Any:
        while "$ref" in node:
            found: Any = self.document
            for name in node["$ref"][2:].split("/"):
                found = found[name.replace("~1", "/").replace("~0", "~")]
            node = found
        return node


def _literal_first(route: tuple[Any, str, str, Any]) -> tuple[int, int]:
    return route[1].count("{"), -len(route[1])


def _group(found: re.Match[str]) -> str:
    return f"(?P<{found[1]}>{'.+' if found[1] in WHOLE_PATHS else '[^/]+'})"


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _add_own_user(document: Any) -> None:
    """Add the one operation that was cut away: it answers like the one that names a person."""
    responses = document["paths"]["/users/{username}"]["get"]["responses"]
    told = {"operationId": "users/get-authenticated", "responses": responses}
    document["paths"]["/user"] = {"get": told}


def _allow_null(node: Any) -> None:
    """Mend the description where GitHub's own examples break it: nullable enums lack null."""
    if isinstance(node, dict):
        if node.get("nullable") and isinstance(node.get("enum"), list) and None not in node["enum"]:
            node["enum"] = [*node["enum"], None]
        for value in node.values():
            _allow_null(value)
    elif isinstance(node, list):
        for value in node:
            _allow_null(value)
