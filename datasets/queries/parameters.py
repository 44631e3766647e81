"""From the query string of a read to a Query, or the one message that refuses it.

Each parameter is one function below, named for it; they run in the order of the contract's table and the first fault is
the answer. Source: Data Set contract §11.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import parse_qsl

from datasets.errors import QueryRefused
from datasets.queries import cursor
from datasets.records import moments

NAMES = frozenset({"start_at", "end_at", "inclusive", "limit", "cursor", "flatten"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much may be asked for: settings of the installation."""

    default_limit: int
    max_limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked. identity: equal for equal questions, whatever the page; part of cursors and entity tags."""

    identity: str
    start_at: datetime | None
    end_at: datetime | None
    inclusive: bool
    limit: int
    after: cursor.Position | None


def parse(query_string: str, *, data_set_id: int, bounds: Bounds) -> Query:
    """Raises QueryRefused. Percent-coded bytes that are not UTF-8 become U+FFFD."""
    pairs = parse_qsl(query_string, keep_blank_values=True, errors="replace")
    _check_names(pairs)
    given = dict(pairs)
    start_at, end_at = _moment(given, "start_at"), _moment(given, "end_at")
    _check_range(start_at, end_at)
    inclusive = _boolean(given, "inclusive")
    if "inclusive" in given and (start_at is None or end_at is None):
        raise QueryRefused("inclusive needs start_at and end_at.")
    limit = _whole_number(given, "limit", bounds.max_limit)
    identity = cursor.query_hash(data_set_id, pairs)
    after = _cursor(given, identity)
    _boolean(given, "flatten")  # matters to groups by period only
    return Query(
        identity=identity,
        start_at=start_at,
        end_at=end_at,
        inclusive=inclusive,
        limit=bounds.default_limit if limit is None else limit,
        after=after,
    )


def _check_names(pairs: list[tuple[str, str]]) -> None:
    for name, _ in pairs:
        if name not in NAMES:
            raise QueryRefused(f"Unknown parameter: {name[:50]}.")
    for name, times in Counter(name for name, _ in pairs).items():
        if times > 1:
            raise QueryRefused(f"{name} can be given only once.")
    for name, value in pairs:
        if "\0" in value:
            raise QueryRefused(f"{name} contains U+0000.")


def _moment(given: dict[str, str], name: str) -> datetime | None:
    if name not in given:
        return None
    try:
        return moments.parse(given[name])
    except moments.NotAMoment as error:
        raise QueryRefused(f"{name} {moments.NotAMoment.message}.") from error


def _check_range(start_at: datetime | None, end_at: datetime | None) -> None:
    if start_at is not None and end_at is None:
        raise QueryRefused("start_at needs end_at or duration.")
    if end_at is not None and start_at is None:
        raise QueryRefused("end_at needs start_at or duration.")
    if start_at is not None and end_at is not None and end_at <= start_at:
        raise QueryRefused("end_at must be later than start_at.")


def _boolean(given: dict[str, str], name: str) -> bool:
    value = given.get(name, "false")
    if value not in {"true", "false"}:
        raise QueryRefused(f"{name} must be true or false.")
    return value == "true"


def _whole_number(given: dict[str, str], name: str, most: int) -> int | None:
    if name not in given:
        return None
    digits = given[name]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20 and 1 <= int(digits) <= most):
        raise QueryRefused(f"{name} must be a whole number from 1 to {most}.")
    return int(digits)


def _cursor(given: dict[str, str], identity: str) -> cursor.Position | None:
    if "cursor" not in given:
        return None
    try:
        return cursor.read(given["cursor"], identity)
    except cursor.CursorRefused as error:
        raise QueryRefused("The cursor does not belong to this query.") from error
