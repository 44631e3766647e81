"""Validate a provision document with REST framework serializers and report errors with their JSON paths.

A missing key leaves the stored value unchanged. A stored value stays valid if a rule becomes stricter later, see
`Value.stored`.
"""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Self
from uuid import UUID

from django.db.models import Model
from rest_framework import serializers
from rest_framework.settings import api_settings

from config.areas import DocumentErrors
from config.invalid import InvalidValue
from config.rest import strict_json

Rule = Callable[..., Any]

_CALLED = {str: "a string", bool: "true or false", int: "a whole number", float: "a number", dict: "an object"}


class Value(serializers.Field[Any, Any, Any, Any]):
    """A string, boolean, whole number, number or object.

    rule: returns the value to store, or None to store it unchanged; raises ValueError with the error and its fix
    stored: (owner, value) → whether the owner, see `Declaration.owner_of`, already has this value
    """

    default_error_messages = {"required": "is required"}

    def __init__(
        self,
        kind: type,
        rule: Rule | None = None,
        *,
        stored: Callable[[Any, Any], bool] | None = None,
        required: bool = False,
        **options: Any,
    ) -> None:
        options.setdefault("error_messages", {"null": f"must be {_CALLED[kind]}"})
        super().__init__(required=required, **options)
        self.kind, self.rule, self.stored = kind, rule, stored

    def to_internal_value(self, data: Any) -> Any:
        kinds = (int, float) if self.kind is float else (self.kind,)
        if not isinstance(data, kinds) or (isinstance(data, bool) and self.kind is not bool):
            raise serializers.ValidationError(f"must be {_CALLED[self.kind]}")
        if isinstance(data, str) and not strict_json.is_storable_text(data):
            raise serializers.ValidationError("must not contain NUL or lone surrogates")
        if self.kind is float and not _is_double(data):
            raise serializers.ValidationError("must be a number of at most 308 digits")
        try:
            parsed = self.rule(data) if self.rule else None
        except ValueError as error:
            if self._is_stored(data):
                return data
            raise serializers.ValidationError(str(error)) from error
        return data if parsed is None or (parsed != data and self._is_stored(data)) else parsed

    def _is_stored(self, value: Any) -> bool:
        owner = self.context["owner"]() if self.stored else None
        return owner is not None and self.stored is not None and self.stored(owner, value)


def _is_double(number: Any) -> bool:  # Any: whole numbers and decimals
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def parse_filled(text: str) -> str:
    """Return the text without white space around it. Raises InvalidValue if nothing is left."""
    if not text.strip():
        raise InvalidValue("must not be blank")
    return text.strip()


class Texts(serializers.ListField):
    """A list of strings. each: the rule for each string; rule: the rule for the whole list."""

    default_error_messages = {
        "not_a_list": "must be a list of strings",
        "null": "must be a list of strings",
        "required": "is required",
    }

    def __init__(self, each: Rule | None = None, rule: Rule | None = None, **options: Any) -> None:
        super().__init__(child=Value(str, each), **{"required": False, **options})
        self.rule = rule

    def to_internal_value(self, data: Any) -> list[Any]:
        values: list[Any] = super().to_internal_value(data)
        try:
            if self.rule:
                self.rule(values)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error
        return values


class _Declarations(serializers.ListSerializer[Any]):
    default_error_messages = {"not_a_list": "must be a list", "null": "must be a list"}


class Declaration(serializers.Serializer[Any]):
    """An object that has no keys except the declared fields."""

    default_error_messages = {"null": "must be an object", "required": "is required"}

    class Meta:
        list_serializer_class = _Declarations

    def owner_of(self, data: dict[str, Any]) -> Any:
        """Return the stored row that the object describes, or None if it is new. Its values stay valid."""
        return None

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            self.fail("null")
        if self.parent is None:
            self.context["owner"] = cache(lambda: self.owner_of(data))
        errors: dict[str, Any] = {}
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            errors = dict(error.detail)  # type: ignore[arg-type]  # the detail of a serializer is a dict
        errors |= {key: ["is not a known key"] for key in data if key not in self.fields}
        if errors:
            raise serializers.ValidationError(errors)
        return values


@dataclass(slots=True)
class DeclaredRow:
    """One declared row: its JSON path, its values, and the copy that `provision` completes with ids and secrets."""

    path: str
    values: dict[str, Any]
    completed: dict[str, Any]
    errors: DocumentErrors

    def entries(self, key: str) -> list[Self]:
        """Return the rows of an inner list."""
        rows = enumerate(self.values.get(key, ()))
        return [type(self)(f"{self.path}.{key}[{n}]", row, self.completed[key][n], self.errors) for n, row in rows]

    def refuse(self, key: str, message: str) -> None:
        self.errors.add(f"{self.path}.{key}" if key else self.path, message)

    def check(self, key: str, rule: Rule, *values: object, **options: object) -> None:
        """Call the rule, and record its error if it rejects the values."""
        try:
            rule(*values, **options)
        except InvalidValue as error:
            self.refuse(key, str(error))

    def check_lengths(self, model: type[Model]) -> None:
        """Record an error for each text that is longer than its column of the model."""
        for field in model._meta.concrete_fields:
            most = field.max_length if field.name in self.values else None
            if most and len(self.values[field.name]) > most:
                self.refuse(field.name, f"must have at most {most:,} characters")

    def require(self, *keys: str) -> None:
        """Record an error for each missing key."""
        for key in keys:
            if key not in self.values:
                self.refuse(key, "is required")


def read(document: object, path: str, declaration: Declaration, errors: DocumentErrors) -> list[DeclaredRow]:
    """Return the valid objects of a list, and add the errors of the others to `errors`."""
    if not isinstance(document, list):
        errors.add(path, "must be a list")
        return []
    entries = []
    for index, given in enumerate(document):
        at = f"{path}[{index}]"
        try:
            entries.append(DeclaredRow(at, declaration.run_validation(given), copy.deepcopy(given), errors))
        except serializers.ValidationError as error:
            for place, message in _places(error.detail, at):
                errors.add(place, message)
    return entries


def parse_uuid(text: str) -> UUID:
    """Return the UUID of a text with hyphens. Raises InvalidValue."""
    if len(text) == len(str(UUID(int=0))):
        try:
            return UUID(text)
        except ValueError:
            pass
    raise InvalidValue("must be a UUID such as 00000000-0000-4000-8000-000000000000")


def one_of(allowed: list[str]) -> Rule:
    """Return a rule that raises InvalidValue if the string is not an allowed value."""

    def check(text: str) -> None:
        if text not in allowed:
            raise InvalidValue(f"must be one of {', '.join(allowed)}")

    return check


def _places(detail: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of JSON path and message from REST framework's nested errors."""
    if isinstance(detail, dict):
        for key, inner in detail.items():
            own = key == api_settings.NON_FIELD_ERRORS_KEY
            yield from _places(inner, path if own else f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}")
    else:
        for index, inner in enumerate(detail):
            if isinstance(inner, (dict, list)):
                yield from _places(inner, f"{path}[{index}]")
            else:
                yield path, str(inner)
