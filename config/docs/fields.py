"""Turn a JSON Schema into table rows: one for each property, with the whole path of nested properties."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]  # Any: JSON
MAX_LEVELS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaField:
    name: str
    type: str
    required: bool
    about: str


def of_parameters(parameters: list[Schema]) -> list[SchemaField]:
    return [
        SchemaField(
            name=one["name"],
            type=f"{type_of(one['schema'], {})}{', header' if one['in'] == 'header' else ''}",
            required=one.get("required", False),
            about=one.get("description", ""),
        )
        for one in parameters
    ]


def of_schema(schema: Schema, schemas: Schema) -> list[SchemaField]:
    """Return the rows of a body. A property of several alternatives appears once."""
    found: dict[str, SchemaField] = {}
    for field in _rows(schema, schemas, path="", level=0):
        found.setdefault(field.name, field)
    return list(found.values())


def type_of(schema: Schema, schemas: Schema) -> str:
    """Return the type of a value in words.

    >>> type_of({"type": ["string", "null"], "format": "uuid"}, {})
    'string (uuid) or null'
    >>> type_of({"enum": ["gsm", None]}, {})
    '`gsm` · `null`'
    >>> type_of({"oneOf": [{"type": "object"}, {"type": "null"}]}, {})
    'object or null'
    """
    schema = _resolved(schema, schemas)
    if "const" in schema:
        return _as_code(schema["const"])
    if "enum" in schema:
        return " · ".join(map(_as_code, schema["enum"]))
    if "oneOf" in schema:
        return " or ".join(dict.fromkeys(type_of(one, schemas) for one in schema["oneOf"]))
    kinds = schema.get("type", "any")
    names = [kinds] if isinstance(kinds, str) else kinds
    words = [_with_format(name, schema) for name in names if name != "null"]
    return " or ".join([*words, *(["null"] if "null" in names else [])])


def _as_code(value: object) -> str:
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def _with_format(name: str, schema: Schema) -> str:
    if name == "array":
        items = schema.get("items", {})
        if "enum" in items:
            return f"any of {type_of(items, {})}"
        return f"array of {items['type']}s" if isinstance(items.get("type"), str) else "array"
    return f"{name} ({schema['format']})" if schema.get("format") in {"uuid", "date-time", "uri"} else name


def _rows(schema: Schema, schemas: Schema, *, path: str, level: int) -> Iterator[SchemaField]:
    schema = _resolved(schema, schemas)
    for alternative in schema.get("oneOf", ()):
        yield from _rows(alternative, schemas, path=path, level=level)
    if level > MAX_LEVELS:
        return
    if "items" in schema:
        yield from _rows(schema["items"], schemas, path=f"{path}[]", level=level + 1)
    wanted = schema.get("required", ())
    for name, inner in sorted(schema.get("properties", {}).items(), key=lambda pair: pair[0] not in wanted):
        own = f"{path}.{name}" if path else name
        about = inner.get("description", "")
        yield SchemaField(name=own, type=type_of(inner, schemas), required=name in wanted, about=about)
        yield from _rows(inner, schemas, path=own, level=level + 1)
    others = schema.get("additionalProperties")
    if isinstance(others, dict) and others:
        own = f"{path}.*" if path else "*"
        if about := others.get("description", ""):
            yield SchemaField(name=own, type=type_of(others, schemas), required=False, about=about)
        yield from _rows(others, schemas, path=own, level=level + 1)


def _resolved(schema: Schema, schemas: Schema) -> Schema:
    if len(schema.get("allOf", ())) == 1:  # how a reference with a description of its own is written
        schema = {**schema["allOf"][0], **{name: value for name, value in schema.items() if name != "allOf"}}
    if "$ref" not in schema:
        return schema
    own = {name: value for name, value in schema.items() if name != "$ref"}
    return {**schemas[schema["$ref"].rpartition("/")[2]], **own}
