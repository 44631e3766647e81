"""Parse the text of `where` and `having`. Source: docs/reference/data-sets.md §11 (where)."""

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from datasets import errors
from datasets.queries.where.building import ConditionBuilder, NoCondition
from datasets.queries.where.conditions import (
    MAX_CHARACTERS,
    MAX_COMPARISONS,
    MAX_LEVELS,
    Condition,
    comparisons,
)

_KEYWORDS = {"OR", "AND", "NOT", "IN", "IS", "NULL", "TRUE", "FALSE", "EXISTS", "CONTAINS", "STARTS_WITH"}
_EXPECTED = (  # the first token that is allowed at a position shows what is missing there
    ("NAME", "a field name"),
    ("NUMBER", "a value"),
    ("OPERATOR", "a comparison such as = or in"),
    ("$END", "and, or, or the end"),
    ("_AND", "and, or, or a closing bracket"),
    ("_COMMA", "a comma or a closing bracket"),
    ("_CLOSE", "a closing bracket"),
    ("NULL", "null"),
    ("IN", "in"),
    ("_OPEN", "an opening bracket"),
)


def parse_where(text: str) -> Condition:
    """Return the condition on the fields of records. Raises InvalidQuery."""
    return _parse("where", text, None)


def parse_having(text: str, keys: Collection[str]) -> Condition:
    """Return the condition on the keys of a row. Raises InvalidQuery, also for a key not in `keys`."""
    return _parse("having", text, keys)


def _parse(parameter: str, text: str, keys: Collection[str] | None) -> Condition:
    if len(text) > MAX_CHARACTERS:
        raise errors.ConditionTooLong(name=parameter, limit=MAX_CHARACTERS)
    try:
        condition = ConditionBuilder(keys).condition(_tree(text))
    except NoCondition as error:
        raise errors.ConditionInvalid(name=parameter, position=error.position + 1, reason=error.reason) from error
    if sum(1 for _ in comparisons(condition)) > MAX_COMPARISONS:
        raise errors.ConditionTooLarge(name=parameter, limit=MAX_COMPARISONS)
    return condition


def _tree(text: str) -> Tree[Token]:
    grammar = _grammar()
    try:
        _check_levels(grammar, text)
        return grammar.parse(text)
    except UnexpectedCharacters as error:
        place = error.pos_in_stream or 0
        character = text[place]
        reason = "the closing quotation mark is missing" if character == '"' else f"{character} is not allowed here"
        raise NoCondition(place, reason) from error
    except UnexpectedToken as error:
        position = len(text.rstrip()) if error.token.type == "$END" else error.token.start_pos or 0
        raise NoCondition(position, _reason(error.token, error.accepts or error.expected)) from error


def _check_levels(grammar: Lark, text: str) -> None:
    """Raise NoCondition at the first bracket beyond the limit, before the parser nests anything."""
    level = 0
    for token in grammar.lex(text):
        level += {"_OPEN": 1, "_CLOSE": -1}.get(token.type, 0)
        if level > MAX_LEVELS:
            raise NoCondition(token.start_pos or 0, f"there are more than {MAX_LEVELS} levels of brackets")


def _reason(found: Token, allowed: Collection[str]) -> str:
    if found.type.lstrip("_") in _KEYWORDS and "NAME" in allowed:
        return f"{found} is a keyword; write a field of this name in double quotes"
    wanted = next((words for token, words in _EXPECTED if token in allowed), "something else")
    shown = "the end" if found.type == "$END" else str(found)[:50]
    return f"expected {wanted}, found {shown}"


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    text = Path(__file__).with_name("grammar.lark").read_text()
    return Lark(text, parser="lalr", lexer="basic", regex=True, maybe_placeholders=False)
