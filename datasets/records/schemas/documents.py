"""Check that a JSON document can be the schema of a data set.

Callers give schemas, so the work of a validation must have a limit: no network, no recursion, patterns in linear time,
and a limited number of subschemas once all references are followed.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from config.invalid import InvalidValue

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MAX_SCHEMA_BYTES = 64 * 1024
MAX_SUBSCHEMAS = 1_000  # with those of references, each as often as it is named
_MAX_LEVELS = 40  # of brackets
_PATTERN_BYTES = 1024 * 1024  # a compiled pattern
_CACHED = 64  # validators in memory
_MESSAGE = 200  # characters
_MAPS = ("properties", "patternProperties", "dependentSchemas")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = (
    *("items", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames"),
    *("not", "if", "then", "else", "contentSchema"),
)
_NOT_SUPPORTED = ("$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$anchor", "$vocabulary")

Schema = dict[str, Any]  # Any: JSON


def parse_schema(value: object) -> Schema:
    """Return the schema. Raises InvalidValue, which states what to change."""
    if not isinstance(value, dict):
        raise InvalidValue("Enter a JSON object with a schema.")
    dialect = value.get("$schema", DIALECT)
    if not isinstance(dialect, str) or dialect.removesuffix("#") != DIALECT:
        raise InvalidValue(f"Use JSON Schema 2020-12: “$schema” must be {DIALECT}.")
    try:
        if len(write_schema(value).encode()) > MAX_SCHEMA_BYTES:
            raise InvalidValue(f"Use at most {MAX_SCHEMA_BYTES:,} bytes.")
        _check_levels(value, 0)
        if _Size(value).of(value, frozenset()) > MAX_SUBSCHEMAS:
            raise InvalidValue(f"Use at most {MAX_SUBSCHEMAS:,} subschemas, those of references included.")
    except RecursionError:
        raise InvalidValue("The schema is nested too deep.") from None
    except (UnicodeEncodeError, ValueError) as error:
        if isinstance(error, InvalidValue):
            raise
        raise InvalidValue("Use only text and numbers that JSON can hold.") from None
    _compile(value)
    return value


def write_schema(schema: Schema) -> str:
    """Return the text that is stored."""
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


@lru_cache(maxsize=_CACHED)
def validator_of(text: str) -> Any:  # Any: the library is imported here only
    """Return the validator of a stored schema, compiled once in each process."""
    return _compile(json.loads(text))


def _compile(schema: Schema) -> Any:
    import jsonschema_rs

    patterns = jsonschema_rs.RegexOptions(size_limit=_PATTERN_BYTES)
    try:
        return jsonschema_rs.Draft202012Validator(schema, offline=True, pattern_options=patterns)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        first = str(error).partition("\n")[0][:_MESSAGE]
        raise InvalidValue(f"This is not a valid schema: {first}.") from error


def _check_levels(value: object, level: int) -> None:
    if level > _MAX_LEVELS:
        raise InvalidValue("The schema is nested too deep.")
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        _check_levels(one, level + 1)


class _Size:
    """Count subschemas, each target of a reference once in memory."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._known: dict[str, int] = {}

    def of(self, schema: object, open_references: frozenset[str]) -> int:
        """Return the number of subschemas. Raises InvalidValue, also for a reference to a schema that contains it."""
        if not isinstance(schema, dict):
            return 1
        for name in _NOT_SUPPORTED:
            if name in schema:
                raise InvalidValue(f"“{name}” is not supported.")
        if "$id" in schema and schema is not self._root:
            raise InvalidValue("“$id” is supported at the top only.")
        total = 1 + sum(self.of(inner, open_references) for inner in _inner(schema))
        if "$ref" in schema:
            total += self._target(schema["$ref"], open_references)
        return total

    def _target(self, reference: object, open_references: frozenset[str]) -> int:
        if not isinstance(reference, str) or not reference.startswith("#/"):
            raise InvalidValue("“$ref” must begin with #/ and name a part of this schema.")
        if reference in open_references:
            raise InvalidValue(f"“{reference[:_MESSAGE]}” refers to itself, which is not supported.")
        if reference not in self._known:
            self._known[reference] = self.of(self._find(reference), open_references | {reference})
        return self._known[reference]

    def _find(self, reference: str) -> object:
        found: object = self._root
        for part in reference.removeprefix("#/").split("/"):
            name = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, dict) or name not in found:
                raise InvalidValue(f"“{reference[:_MESSAGE]}” names no part of this schema.")
            found = found[name]
        return found


def _inner(schema: Schema) -> Iterator[object]:
    for name in _MAPS:
        if isinstance(schema.get(name), dict):
            yield from schema[name].values()
    for name in _LISTS:
        if isinstance(schema.get(name), list):
            yield from schema[name]
    yield from (schema[name] for name in _SINGLE if name in schema)
