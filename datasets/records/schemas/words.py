"""State in plain words what a schema expects of a field. No text has a value of a record."""

import json
from enum import StrEnum
from typing import Any

_SHOWN = 5  # values of an enumeration
_TYPES = {
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
_LIMITS = {
    "Minimum": "must be at least {}",
    "Maximum": "must be at most {}",
    "ExclusiveMinimum": "must be more than {}",
    "ExclusiveMaximum": "must be less than {}",
    "MinLength": "must have at least {} characters",
    "MaxLength": "must have at most {} characters",
    "MinItems": "must have at least {} elements",
    "MaxItems": "must have at most {} elements",
    "MinProperties": "must have at least {} fields",
    "MaxProperties": "must have at most {} fields",
}
_FIXED = {
    "AnyOf": "must have one of the forms in the schema",
    "OneOfNotValid": "must have one of the forms in the schema",
    "OneOfMultipleValid": "must have exactly one of the forms in the schema",
    "Not": "must not have this form",
    "Contains": "must contain an element as the schema describes it",
    "UniqueItems": "must not contain an element twice",
    "FalseSchema": "is not allowed by the schema",
    "Pattern": "must have the form that the pattern of the schema describes",
    "PropertyNames": "has a name that the schema does not allow",
}


class Drift(StrEnum):
    """How a field differs from the schema."""

    NEW = "new field"
    GONE = "field gone"
    TYPE = "type changed"
    VALUE = "value out of range"


_DRIFTS = {"Required": Drift.GONE, "Type": Drift.TYPE, "FalseSchema": Drift.NEW}
_UNEXPECTED = ("AdditionalProperties", "UnevaluatedProperties")


def of_error(error: Any) -> list[tuple[str | None, str, Drift]]:  # Any: ValidationError of jsonschema_rs
    """Return the fields of an error of the library, what is expected of each, and how it differs."""
    kind, path = error.kind, list(error.instance_path)
    name = type(kind).__name__
    within = _place(path[1:])
    if name in _UNEXPECTED:
        fields = path[:1] or kind.unexpected
        return [(str(field), f"is not allowed by the schema{within}", Drift.NEW) for field in fields]
    if name == "Required" and not path:
        return [(str(kind.property), "is required", Drift.GONE)]
    field = str(path[0]) if path else None
    drift = _DRIFTS.get(name, Drift.VALUE)
    if name == "Required":
        return [(field, f"must have the field “{kind.property}”{within}", drift)]
    return [(field, _expected(name, kind) + within, drift)]


def _expected(name: str, kind: Any) -> str:
    if name == "Type":
        return f"must be {' or '.join(_TYPES.get(one, one) for one in kind.types)}"
    if name == "Enum":
        shown = [_written(option) for option in kind.options[:_SHOWN]]
        return f"must be one of {', '.join(shown)}{' …' if len(kind.options) > _SHOWN else ''}"
    if name == "Constant":
        return f"must be {_written(kind.expected_value)}"
    if name == "MultipleOf":
        return f"must be a multiple of {kind.multiple_of}"
    if name in _LIMITS:
        return _LIMITS[name].format(kind.limit)
    return _FIXED.get(name, "does not match the schema")


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _place(path: list[str | int]) -> str:
    """Return where in the field the error is, such as ` in items, element 2`."""
    if not path:
        return ""
    return " in " + ", ".join(f"element {part + 1}" if isinstance(part, int) else f"“{part}”" for part in path)
