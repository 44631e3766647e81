"""Learn a schema from records: fields, types, required fields, enumerations and ranges."""

from typing import Any

from datasets.records.schemas.documents import DIALECT, MAX_SCHEMA_BYTES, Schema, write_schema

MAX_OPTIONS = 50  # values of an enumeration
_LONGEST_OPTION = 100  # characters
_MAX_FIELDS = 200
_MOMENT = {"type": "string", "format": "date-time"}
_OWN = {"_id": {"type": "string"}, "_timestamp": _MOMENT, "_start_at": _MOMENT, "_end_at": _MOMENT}


class _FieldValues:
    """The values of one field: the texts, unless there are too many, and the range of the numbers."""

    def __init__(self) -> None:
        self.texts: set[str] | None = set()
        self.number = 0
        self.least: float | None = None
        self.greatest: float | None = None

    def add(self, value: object) -> None:
        if isinstance(value, str):
            self.number += 1
            if self.texts is not None:
                self.texts.add(value)
                if len(self.texts) > MAX_OPTIONS or len(value) > _LONGEST_OPTION:
                    self.texts = None
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.least = value if self.least is None else min(self.least, value)
            self.greatest = value if self.greatest is None else max(self.greatest, value)


class Learner:
    """Learns the schema of the callers' own fields in a sample, one record after the other."""

    def __init__(self) -> None:
        from genson import SchemaBuilder

        self._builder = SchemaBuilder(schema_uri=DIALECT)
        self._values: dict[str, _FieldValues] = {}

    def add(self, record: dict[str, Any]) -> None:
        self._builder.add_object(record)
        for name, value in record.items():
            self._values.setdefault(name, _FieldValues()).add(value)

    def schema(self) -> Schema:
        """Return the schema, with the fields that every record has as required ones.

        A field of texts is an enumeration if some texts occur twice and there are at most MAX_OPTIONS.
        """
        learned: Schema = self._builder.to_schema()
        fields = dict(list(learned.get("properties", {}).items())[:_MAX_FIELDS])
        for name, schema in fields.items():
            _narrow(schema, self._values[name])
        required = [name for name in learned.get("required", ()) if name in fields]
        whole = _whole(fields, required)
        if len(write_schema(whole).encode()) > MAX_SCHEMA_BYTES:  # nested objects whose names are values
            whole = _whole({name: _type_only(schema) for name, schema in fields.items()}, required)
        if len(write_schema(whole).encode()) > MAX_SCHEMA_BYTES:
            whole = _whole({}, [])
        return whole


def _whole(fields: dict[str, Schema], required: list[str]) -> Schema:
    return {
        "$schema": DIALECT,
        "type": "object",
        "properties": {**_OWN, **fields},
        "required": ["_timestamp", *required],
    }


def _narrow(schema: Schema, values: _FieldValues) -> None:
    types = schema.get("type")
    names = {types} if isinstance(types, str) else set(types or ())
    if names <= {"string", "null"} and values.texts is not None and 0 < len(values.texts) < values.number:
        schema["enum"] = [*sorted(values.texts), *([None] if "null" in names else [])]
    if names & {"integer", "number"} and values.least is not None:
        schema["minimum"], schema["maximum"] = values.least, values.greatest


def _type_only(schema: Schema) -> Schema:
    return {"type": schema["type"]} if "type" in schema else {}
