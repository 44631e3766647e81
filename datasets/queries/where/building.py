"""Build a Condition from a parsed tree, and check names and values. Source: docs/reference/data-sets.md §11 (where)."""

import json
import math
import re
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from lark import Token, Transformer, Tree, v_args
from lark.exceptions import VisitError

from datasets.queries.where.conditions import MOMENTS, AllOf, AnyOf, Comparison, Condition, Negation, Value
from datasets.records import moments

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_OWN = MOMENTS | {"_id"}
_WORDS = {"TRUE": True, "FALSE": False, "NULL": None}


class NoCondition(Exception):
    """A text is no condition. position: the index of the character"""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(reason)
        self.position = position
        self.reason = reason


class _Field(NamedTuple):
    """A field as it was written. separators: `.` or `:` between two parts"""

    path: tuple[str, ...]
    separators: str
    position: int


class _Literal(NamedTuple):
    value: Value
    position: int


@v_args(inline=True)
class ConditionBuilder(Transformer[Token, Condition]):
    """Turns the tree of the grammar into a Condition. Its methods are named for the rules.

    keys: the keys of a row, for `having`; None for the fields of records
    """

    def __init__(self, keys: Collection[str] | None) -> None:
        super().__init__()
        self._keys = keys

    def condition(self, tree: Tree[Token]) -> Condition:
        """Return the condition of a whole tree. Raises NoCondition."""
        try:
            return self.transform(tree)
        except VisitError as error:
            raise error.orig_exc from error

    def any_of(self, *parts: Condition) -> Condition:
        return parts[0] if len(parts) == 1 else AnyOf(parts)

    def all_of(self, *parts: Condition) -> Condition:
        return parts[0] if len(parts) == 1 else AllOf(parts)

    def negation(self, part: Condition) -> Condition:
        return part.part if isinstance(part, Negation) else Negation(part)

    def compared(self, field: _Field, operator: Token, value: _Literal) -> Condition:
        return self._comparison(field, operator.lower(), (value,))

    def in_list(self, field: _Field, word: Token, values: tuple[_Literal, ...] = ()) -> Condition:
        if not values:
            raise NoCondition(word.start_pos or 0, "the list of `in` is empty")
        return self._comparison(field, "in", values)

    def not_in_list(self, field: _Field, word: Token, values: tuple[_Literal, ...] = ()) -> Condition:
        return Negation(self.in_list(field, word, values))

    def exists(self, field: _Field) -> Condition:
        return self._comparison(field, "exists", ())

    def is_null(self, field: _Field, _: Token) -> Condition:
        return self._comparison(field, "is null", ())

    def is_not_null(self, field: _Field, word: Token) -> Condition:
        return Negation(self.is_null(field, word))

    def values(self, *values: _Literal) -> tuple[_Literal, ...]:
        return values

    def value(self, token: Token) -> _Literal:
        position = token.start_pos or 0
        if token.type == "QUOTED":
            return _Literal(_text(token), position)
        if token.type == "TIME":
            return _Literal(_moment(token), position)
        return _Literal(_WORDS[token.type] if token.type in _WORDS else _number(token), position)

    def field(self, first: Token, *rest: Token) -> _Field:
        parts, separators = (first, *rest[1::2]), rest[::2]
        names = tuple(_text(part) if part.type == "QUOTED" else str(part) for part in parts)
        return _Field(names, "".join(separators), first.start_pos or 0)

    def part(self, token: Token) -> Token:
        return token

    def _comparison(self, field: _Field, operator: str, values: tuple[_Literal, ...]) -> Condition:
        path = self._path(field)
        is_moment = self._keys is None and path[0] in MOMENTS
        for value in values:
            if is_moment != isinstance(value.value, datetime):
                reason = (
                    f"{path[0]} can only be compared with a time such as @2024-01-01T00:00:00Z"
                    if is_moment
                    else "only _timestamp, _start_at and _end_at can be compared with a time"
                )
                raise NoCondition(value.position, reason)
            if operator in {"contains", "starts_with"} and not isinstance(value.value, str):
                raise NoCondition(value.position, f"{operator} needs a text in double quotes")
        return Comparison(path, operator, tuple(value.value for value in values))

    def _path(self, field: _Field) -> tuple[str, ...]:
        if self._keys is not None:
            key = "".join(part + after for part, after in zip(field.path, [*field.separators, ""], strict=True))
            if key not in self._keys:
                raise NoCondition(field.position, f"the rows have no key {key[:50]}")
            return (key,)
        if ":" in field.separators:
            raise NoCondition(field.position, "write a name that contains a colon in double quotes")
        if field.path[0].startswith("_") and (len(field.path) > 1 or field.path[0] not in _OWN):
            raise NoCondition(field.position, f"{field.path[0][:50]} is not a field that can be compared")
        return field.path


def _text(token: Token) -> str:
    position = token.start_pos or 0
    try:
        text: str = json.loads(token)
    except ValueError as error:
        raise NoCondition(
            position, "this is not a JSON text; write a line break as \\n and a backslash as \\\\"
        ) from error
    if _UNSTORABLE.search(text):
        raise NoCondition(position, "a text cannot contain U+0000 or half of a character")
    return text


def _number(token: Token) -> int | float:
    number: int | float = json.loads(token)
    try:
        is_finite = math.isfinite(float(number))
    except OverflowError:
        is_finite = False
    if not is_finite:
        raise NoCondition(token.start_pos or 0, "the number is too large")
    return number


def _moment(token: Token) -> datetime:
    try:
        return moments.parse(token[1:])
    except moments.NotAMoment as error:
        reason = f"{token[:50]} is not a date and time such as @2024-01-01T00:00:00Z"
        raise NoCondition(token.start_pos or 0, reason) from error
