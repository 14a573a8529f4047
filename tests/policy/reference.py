"""The keys of a policy as tables, out of the schema by which it is checked.

``python -m tests.policy.reference`` writes them into docs/policy.md.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "policy.md"
BEGIN, END = "<!-- keys -->\n", "<!-- end of the keys -->\n"
HEAD = "| key | value | default | meaning |\n| --- | --- | --- | --- |"
Schema = Mapping[str, Any]


def tables() -> str:
    """Return a table per part of the document, the document itself first."""
    from triage.policy.document import policy_schema

    schema = policy_schema()
    parts = {"The document": schema} | schema["$defs"]
    return "\n".join(f"### {name}\n\n{_table(part)}" for name, part in parts.items())


def keys() -> set[str]:
    """Return every key that a policy may hold."""
    from triage.policy.document import policy_schema

    schema = policy_schema()
    return {key for part in (schema, *schema["$defs"].values()) for key in part["properties"]}


def stored() -> str:
    """Return the tables as the documentation has them."""
    return PAGE.read_text().partition(BEGIN)[2].partition(END)[0]


def store(made: str) -> None:
    """Write the tables into the documentation."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(before + BEGIN + made + END + rest.partition(END)[2])


def _table(part: Schema) -> str:
    required = part.get("required", [])
    rows = [_row(key, told, key in required) for key, told in part["properties"].items()]
    about = f"{part['description']}\n\n" if "description" in part else ""
    return about + "\n".join([HEAD, *rows]) + "\n"


def _row(key: str, told: Schema, is_required: bool) -> str:
    default = "required" if is_required else _default(told)
    cells = (f"`{key}`", _value(told), default, _meaning(told))
    return f"| {' | '.join(cells)} |"


def _default(told: Schema) -> str:
    default = told.get("default")
    return "" if default in (None, [], {}) or isinstance(default, dict) else f"`{_json(default)}`"


def _meaning(told: Schema) -> str:
    examples = ", ".join(f"`{_json(each)}`" for each in told.get("examples", ()))
    return " ".join(filter(None, [told.get("description", ""), examples and f"Such as {examples}"]))


def _value(told: Schema) -> str:
    return " or ".join(dict.fromkeys(_values(told)))


def _values(told: Schema) -> Iterator[str]:
    if "$ref" in told:
        name = str(told["$ref"]).rsplit("/", 1)[-1]
        yield f"[{name}](#{name.lower()})"
    elif "const" in told or "enum" in told:
        yield from (f"`{each}`" for each in told.get("enum", [told.get("const")]))
    elif "anyOf" in told or "oneOf" in told:
        for each in told.get("anyOf", told.get("oneOf", ())):
            yield from _values(each)
    elif told.get("type") == "array":
        inner = told.get("items") or told["prefixItems"][0]
        yield f"list of {_value(inner)}"
    elif told.get("type") != "null":
        kinds = told["type"] if isinstance(told["type"], list) else [told["type"]]
        yield from kinds


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _main() -> None:
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    store(tables())


if __name__ == "__main__":
    _main()
