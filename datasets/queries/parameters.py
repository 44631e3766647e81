"""From the query string of a read to a Query, or the one message that refuses it.

The rows of the contract's table are checked in its order, and the first fault is the answer.
Source: Data Set contract §11.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import parse_qsl

from datasets.errors import QueryRefused
from datasets.queries import cursor, escaping
from datasets.queries.query import METHODS, PERIODS, Collect, Filter, Query, Sort
from datasets.records import moments, names

REPEATED = frozenset({"filter_by", "filter_by_prefix", "group_by", "collect"})
SINGLE = frozenset(
    {"format", "start_at", "end_at", "inclusive", "period", "duration", "sort_by", "limit", "cursor", "flatten"}
)
FORMATS = ("json", "csv", "ndjson")
MAX_DURATION = 10_000  # Data Set contract §11
# More are refused: SQLite takes no statement of 500 sums, and 250 filters by long numbers took PostgreSQL 11 s.
MOST_TIMES = {"group_by": 20, "collect": 100, "filter_by": 50, "filter_by_prefix": 50}
_SORTABLE_RAW = frozenset({"_id", "_timestamp", "_start_at", "_end_at", "_updated_at"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much may be asked for: settings of the installation."""

    default_limit: int
    max_limit: int


def parse(query_string: str, *, data_set_id: int, bounds: Bounds) -> Query:
    """Raises QueryRefused. Percent-coded bytes that are not UTF-8 become U+FFFD."""
    pairs = parse_qsl(query_string, keep_blank_values=True, errors="replace")
    _check_names(pairs)
    single = {name: value for name, value in pairs if name in SINGLE}
    repeated = {name: [value for given, value in pairs if given == name] for name in REPEATED}

    format = single.get("format", "json")
    if format not in FORMATS:
        raise QueryRefused("format must be json, csv or ndjson.")
    start_at, end_at = _moment(single, "start_at"), _moment(single, "end_at")
    _check_range(single, start_at, end_at)
    has_both = start_at is not None and end_at is not None
    inclusive = _boolean(single, "inclusive")
    if "inclusive" in single and not has_both:
        raise QueryRefused("inclusive needs start_at and end_at.")
    period = _period(single, has_both=has_both)
    duration = _duration(single, has_both=has_both)
    filters = _filters(repeated)
    group_by = _group_by(repeated["group_by"])
    collect = _collect(repeated["collect"], group_by, is_raw=not group_by and period is None)
    sort = _sort(single, group_by, period, collect)
    limit = _whole_number(single, "limit", bounds.max_limit)
    if limit is not None and period is not None and not group_by:
        raise QueryRefused("limit with period needs group_by.")
    is_raw_json = not group_by and period is None and format == "json"
    identity = cursor.query_hash(data_set_id, pairs)
    after = _cursor(single, identity, is_raw_json=is_raw_json)
    flatten = _boolean(single, "flatten")
    is_nested = bool(group_by) and period is not None and not flatten and format != "csv"
    _check_keys(group_by, collect, has_values=is_nested)
    return Query(
        identity=identity,
        format=format,
        start_at=start_at,
        end_at=end_at,
        inclusive=inclusive,
        period=period,
        duration=duration,
        filters=filters,
        group_by=group_by,
        collect=collect,
        sort=sort,
        limit=bounds.default_limit if limit is None and is_raw_json else limit,
        after=after,
        flatten=flatten,
    )


def _check_names(pairs: list[tuple[str, str]]) -> None:
    for name, _ in pairs:
        if name not in SINGLE and name not in REPEATED:
            raise QueryRefused(f"Unknown parameter: {name[:50]}.")
    for name, times in Counter(name for name, _ in pairs).items():
        if times > 1 and name in SINGLE:
            raise QueryRefused(f"{name} can be given only once.")
        if times > MOST_TIMES.get(name, times):
            raise QueryRefused(f"{name} can be given at most {MOST_TIMES[name]} times.")
    for name, value in pairs:
        if "\0" in value:
            raise QueryRefused(f"{name} contains U+0000.")


def _moment(single: dict[str, str], name: str) -> datetime | None:
    if name not in single:
        return None
    try:
        return moments.parse(single[name])
    except moments.NotAMoment as error:
        raise QueryRefused(f"{name} {moments.NotAMoment.message}.") from error


def _check_range(single: dict[str, str], start_at: datetime | None, end_at: datetime | None) -> None:
    if start_at is not None and end_at is None and "duration" not in single:
        raise QueryRefused("start_at needs end_at or duration.")
    if end_at is not None and start_at is None and "duration" not in single:
        raise QueryRefused("end_at needs start_at or duration.")
    if start_at is not None and end_at is not None:
        is_one_instant = start_at == end_at and single.get("inclusive") == "true"
        if end_at <= start_at and not is_one_instant:
            raise QueryRefused("end_at must be later than start_at.")


def _boolean(single: dict[str, str], name: str) -> bool:
    value = single.get(name, "false")
    if value not in {"true", "false"}:
        raise QueryRefused(f"{name} must be true or false.")
    return value == "true"


def _whole_number(single: dict[str, str], name: str, most: int) -> int | None:
    if name not in single:
        return None
    digits = single[name]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20 and 1 <= int(digits) <= most):
        raise QueryRefused(f"{name} must be a whole number from 1 to {most}.")
    return int(digits)


def _period(single: dict[str, str], *, has_both: bool) -> str | None:
    period = single.get("period")
    if period is None:
        return None
    if period not in PERIODS:
        raise QueryRefused(f"period must be one of {', '.join(PERIODS)}.")
    if "duration" not in single and not has_both:
        raise QueryRefused("period needs duration, or start_at and end_at.")
    return period


def _duration(single: dict[str, str], *, has_both: bool) -> int | None:
    duration = _whole_number(single, "duration", MAX_DURATION)
    if duration is not None:
        if "period" not in single:
            raise QueryRefused("duration needs period.")
        if has_both:
            raise QueryRefused("duration cannot be used with both start_at and end_at.")
    return duration


def _filters(repeated: dict[str, list[str]]) -> tuple[Filter, ...]:
    for parameter in ("filter_by", "filter_by_prefix"):
        if any(escaping.split(text)[1] is None for text in repeated[parameter]):
            raise QueryRefused(f"{parameter} must be a field name and a value with a colon between them.")
    if repeated["filter_by"] and repeated["filter_by_prefix"]:
        raise QueryRefused("filter_by and filter_by_prefix cannot be used together.")
    equal = [_filter("filter_by", text) for text in repeated["filter_by"]]
    return tuple(equal or [_filter("filter_by_prefix", text) for text in repeated["filter_by_prefix"]])


def _filter(parameter: str, text: str) -> Filter:
    name, value = escaping.split(text)
    assert value is not None  # noqa: S101  `_filters` sees to it
    is_prefix = parameter == "filter_by_prefix"
    if not (names.is_field_name(name) or name == "_id" or (name in names.MOMENTS and not is_prefix)):
        raise QueryRefused(f"{parameter}: not a field that can be filtered on.")
    if name not in names.MOMENTS:
        return Filter(name=name, value=value, is_prefix=is_prefix)
    try:
        return Filter(name=name, value=value, is_prefix=False, moment=moments.parse(value))
    except moments.NotAMoment as error:
        raise QueryRefused("filter_by: the value must be a date-time.") from error


def _group_by(given: list[str]) -> tuple[str, ...]:
    parts = [escaping.split(text) for text in given]
    if not all(rest is None and names.is_field_name(name) for name, rest in parts):
        raise QueryRefused("group_by: not a field that can be grouped by.")
    if len(set(parts)) < len(parts):
        raise QueryRefused("group_by: the same field is given twice.")
    return tuple(name for name, _ in parts)


def _collect(given: list[str], group_by: tuple[str, ...], *, is_raw: bool) -> tuple[Collect, ...]:
    if given and is_raw:
        raise QueryRefused("collect needs group_by or period.")
    parts = [(name, "set" if method is None else method, method is None) for name, method in map(escaping.split, given)]
    if any(method not in METHODS for _, method, _ in parts):
        raise QueryRefused("collect: unknown method.")
    if not all(names.is_field_name(name) for name, _, _ in parts):
        raise QueryRefused("collect: not a field that can be collected.")
    if any(name in group_by for name, _, _ in parts):
        raise QueryRefused("collect: a group_by field cannot be collected.")
    return tuple(
        Collect(name=name, method=method, keys=(f"{name}:{method}", *([name] if is_bare else [])))
        for name, method, is_bare in parts
    )


def _check_keys(group_by: tuple[str, ...], collect: tuple[Collect, ...], *, has_values: bool) -> None:
    """Raises QueryRefused where one key of a row would stand for two things: the field `a:sum`, and the sum of `a`."""
    meanings: dict[str, object] = dict.fromkeys(group_by)
    for one in collect:
        for key in one.keys:
            if meanings.setdefault(key, (one.name, one.method)) != (one.name, one.method):
                raise QueryRefused(f"The result would have two different values named {key}.")
    if has_values and "values" in meanings:
        raise QueryRefused("A field named values needs flatten=true with group_by and period.")


def _sort(
    single: dict[str, str], group_by: tuple[str, ...], period: str | None, collect: tuple[Collect, ...]
) -> Sort | None:
    if "sort_by" not in single:
        return None
    key, colon, direction = single["sort_by"].rpartition(":")
    if not colon or direction not in {"ascending", "descending"}:
        raise QueryRefused("sort_by must be a field name and ascending or descending with a colon between them.")
    if period is not None and not group_by:
        raise QueryRefused("sort_by with period needs group_by.")
    name, method = escaping.split(key)
    if group_by:
        bare = {*group_by, "_count", *(["_group_count"] if period is not None else [])}
        bare |= {one.name for one in collect if one.name in one.keys}
        is_known = name in bare if method is None else (name, method) in {(one.name, one.method) for one in collect}
    else:
        is_known = method is None and (name in _SORTABLE_RAW or names.is_field_name(name))
    if not is_known:
        raise QueryRefused("sort_by: not a field that can be sorted by.")
    return Sort(key=name if method is None else f"{name}:{method}", descending=direction == "descending")


def _cursor(single: dict[str, str], identity: str, *, is_raw_json: bool) -> cursor.Position | None:
    if "cursor" not in single:
        return None
    if not is_raw_json:
        raise QueryRefused("cursor works only on raw JSON reads.")
    try:
        return cursor.read(single["cursor"], identity)
    except cursor.CursorRefused as error:
        raise QueryRefused("The cursor does not belong to this query.") from error
