"""Complete the OpenAPI description: forms, texts, errors and examples beside what is generated.

What is generated comes from the code; what is added here is kept from rotting by tests that send
the examples and let a fuzzer ask for whatever the description allows.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from triage.api.examples import ERRORS, PARTS_OF_A_SUBMISSION, VERDICT_TEXT
from triage.api.schemas import Error
from triage.errors import TiebreakError

Schema = dict[str, Any]

JSON, TEXT = "application/json", "text/plain"
WRITING = {"post", "put", "patch"}
# Errors that an operation may answer with whatever it does.
EVERYWHERE = (400, 405, 429, 500, 503)
WITH_A_TOKEN = (401, 403)
OF_UPLOADS = (404, 410, 413, 422)
REPORT_TYPES = (
    "application/xml",
    "application/gzip",
    "application/zip",
    "application/octet-stream",
)
# What an answer holds that is no error; the same status means more where a report is sent.
SUCCESSES = {
    "200": "What was asked for.",
    "201": "It was done; what there is now.",
    "202": "The reports are stored, and the verdict is not there yet: ask again, with wait.",
}
OF_NEW_UPLOADS = {
    "200": "The same was sent before: the verdict that holds now.",
    "201": "The reports are stored and judged: the verdict.",
}
ERROR_REF = {"$ref": "#/components/schemas/Error"}


def complete(schema: Schema) -> None:
    """Add to a generated description all else that a caller has to know."""
    schemas = schema["components"].setdefault("schemas", {})
    error = Error.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= error.pop("$defs") | {"Error": error}
    for path, method, operation in operations(schema):
        _add_bodies(path, method, operation)
        _add_meanings(path, method, operation)
        _add_texts(operation)
        _add_errors(path, method, operation)
        if method == "get":
            unchanged = "Nothing changed since the answer whose ETag was sent in If-None-Match."
            operation["responses"]["304"] = {"description": unchanged}


def operations(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, Schema]]:
    """Yield path, method and operation of everything that can be asked for."""
    for path, item in schema["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def error_classes() -> list[type[TiebreakError]]:
    """Return every error that a caller can get, by status and code."""
    return sorted(TiebreakError.__subclasses__(), key=lambda each: (each.status, each.code))


def _add_bodies(path: str, method: str, operation: Schema) -> None:
    if method == "post" and path.endswith(("/uploads", "/runs/complete")):
        is_upload = path.endswith("/uploads")
        operation["requestBody"] = _upload_body() if is_upload else _run_body()
        operation.setdefault("parameters", []).extend(_submission_parameters())
    if path.endswith("/uploads") and method == "post":
        operation["parameters"].append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "description": "The same key with the same files and job is answered again.",
                "schema": {"type": "string", "minLength": 1, "maxLength": 255},
                "example": "98-2-llm-tests-0",
            }
        )
    if path.endswith("/policy.schema.json"):
        answer = operation["responses"].get(200) or operation["responses"]["200"]
        answer["content"] = {"application/schema+json": answer["content"][JSON]}
    if path.endswith("/policy/check"):
        text = {"schema": {"type": "string"}, "example": "version: 1\n"}
        operation["requestBody"] = {"required": True, "content": {"application/yaml": text}}


def _upload_body() -> Schema:
    files = {
        "type": "array",
        "items": {"type": "string", "format": "binary"},
        "description": "JUnit XML, or gzip, tar.gz or zip of it; one field per file.",
    }
    policy = {"type": "string", "description": "The .tiebreak.yml of the commit, as a file."}
    form: Schema = {
        "type": "object",
        "required": ["files", "repo", "sha"],
        "properties": {"files": files, **_properties(), "policy": policy},
    }
    raw = {"schema": {"type": "string", "format": "binary"}}
    return {
        "required": True,
        "description": "A form, or one report or archive with everything else in the query.",
        "content": {"multipart/form-data": {"schema": form}} | dict.fromkeys(REPORT_TYPES, raw),
    }


def _run_body() -> Schema:
    told = {"schema": {"type": "object", "properties": _properties()}}
    return {"content": {JSON: told, "application/x-www-form-urlencoded": told}}


def _properties() -> Schema:
    return {name: dict(schema) for name, schema in PARTS_OF_A_SUBMISSION.items()}


def _submission_parameters() -> list[Schema]:
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": schema["description"],
            "schema": {key: value for key, value in schema.items() if key != "description"},
        }
        for name, schema in PARTS_OF_A_SUBMISSION.items()
    ]


def _add_meanings(path: str, method: str, operation: Schema) -> None:
    """Say what an answer means where the generated word is the name of its status."""
    is_new_upload = method == "post" and path.endswith("/uploads")
    meanings = SUCCESSES | OF_NEW_UPLOADS if is_new_upload else SUCCESSES
    for status, response in operation["responses"].items():
        response["description"] = meanings[str(status)]


def _add_texts(operation: Schema) -> None:
    """Offer the verdict as text wherever a verdict is answered."""
    for response in operation["responses"].values():
        content = response.get("content", {})
        ref = content.get(JSON, {}).get("schema", {}).get("$ref", "")
        if ref.endswith(("Verdict", "VerdictBody", "PendingUpload")):
            content[TEXT] = {"schema": {"type": "string"}, "example": VERDICT_TEXT}


def _add_errors(path: str, method: str, operation: Schema) -> None:
    statuses = set(EVERYWHERE)
    if operation.get("security"):
        statuses |= {*WITH_A_TOKEN, 404}
    if method in WRITING or "/uploads" in path or "/runs" in path:
        statuses |= set(OF_UPLOADS)
    for status in sorted(statuses):
        if str(status) not in operation["responses"] and status not in operation["responses"]:
            operation["responses"][str(status)] = _error_response(path, method, status)


def _error_response(path: str, method: str, status: int) -> Schema:
    kinds = [each for each in error_classes() if each.status == status]
    examples = {each.code: {"value": ERRORS[each.code]} for each in kinds}
    schema: Schema = ERROR_REF
    if status == 422 and ("/uploads" in path or "/runs" in path):
        # With fail_on the verdict itself comes under this status.
        schema = {"anyOf": [ERROR_REF, {"$ref": "#/components/schemas/VerdictBody"}]}
    response: Schema = {
        "description": " ".join(first_line(each) for each in kinds),
        "content": {
            JSON: {"schema": schema, "examples": examples},
            TEXT: {"schema": {"type": "string"}},
        },
    }
    if status in {429, 503}:
        seconds = {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
        response["headers"] = {"Retry-After": seconds}
    return response


def first_line(kind: type[TiebreakError]) -> str:
    """Return what an error means, in one sentence."""
    return (kind.__doc__ or "").strip().splitlines()[0].replace("``", "")
