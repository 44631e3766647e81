"""Parse the query string of a read into a Query, or raise the first error in the contract's order.

Source: docs/reference/data-sets.md §11.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import parse_qsl

from datasets import errors
from datasets.queries import cursor, escaping
from datasets.queries.methods import METHODS
from datasets.queries.query import PERIODS, Collect, Filter, Query, Sort
from datasets.records import moments, names

REPEATED = frozenset({"filter_by", "filter_by_prefix", "group_by", "collect"})
SINGLE = frozenset(
    {"format", "start_at", "end_at", "inclusive", "period", "duration", "sort_by", "limit", "cursor", "flatten"}
)
FORMATS = ("json", "csv", "ndjson", "parquet")
MAX_DURATION = 10_000
# SQLite cannot run a statement with 500 sums, and 250 filters by long numbers took PostgreSQL 11 s.
MAX_TIMES = {"group_by": 20, "collect": 100, "filter_by": 50, "filter_by_prefix": 50}
_SORTABLE_RAW = frozenset({"_id", "_timestamp", "_start_at", "_end_at", "_updated_at"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The limits of the installation."""

    default_limit: int
    max_limit: int


def parse(query_string: str, *, data_set_id: int, bounds: Bounds) -> Query:
    """Return the query. Raises InvalidQuery. Percent-encoded bytes that are not UTF-8 become U+FFFD."""
    pairs = parse_qsl(query_string, keep_blank_values=True, errors="replace")
    _check_names(pairs)
    single = {name: value for name, value in pairs if name in SINGLE}
    repeated = {name: [value for given, value in pairs if given == name] for name in REPEATED}

    format = single.get("format", "json")
    if format not in FORMATS:
        raise errors.FormatUnknown
    start_at, end_at = _moment(single, "start_at"), _moment(single, "end_at")
    _check_range(single, start_at, end_at)
    has_both = start_at is not None and end_at is not None
    inclusive = _boolean(single, "inclusive")
    if "inclusive" in single and not has_both:
        raise errors.InclusiveAlone
    period = _period(single, has_both=has_both)
    duration = _duration(single, has_both=has_both)
    filters = _filters(repeated)
    group_by = _group_by(repeated["group_by"])
    collect = _collect(repeated["collect"], group_by, is_raw=not group_by and period is None)
    sort = _sort(single, group_by, period, collect)
    limit = _whole_number(single, "limit", bounds.max_limit)
    if limit is not None and period is not None and not group_by:
        raise errors.LimitPeriod
    if format == "parquet" and (group_by or period is not None):
        raise errors.ParquetGrouped
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
            raise errors.UnknownParameter(name=name[:50])
    for name, times in Counter(name for name, _ in pairs).items():
        if times > 1 and name in SINGLE:
            raise errors.ParameterRepeated(name=name)
        if times > MAX_TIMES.get(name, times):
            raise errors.ParameterTooOften(name=name, limit=MAX_TIMES[name])
    for name, value in pairs:
        if "\0" in value:
            raise errors.ParameterWithNul(name=name)


def _moment(single: dict[str, str], name: str) -> datetime | None:
    if name not in single:
        return None
    try:
        return moments.parse(single[name])
    except moments.NotAMoment as error:
        raise errors.ParameterNotAMoment(name=name) from error


def _check_range(single: dict[str, str], start_at: datetime | None, end_at: datetime | None) -> None:
    if start_at is not None and end_at is None and "duration" not in single:
        raise errors.StartAlone
    if end_at is not None and start_at is None and "duration" not in single:
        raise errors.EndAlone
    if start_at is not None and end_at is not None:
        is_one_instant = start_at == end_at and single.get("inclusive") == "true"
        if end_at <= start_at and not is_one_instant:
            raise errors.RangeReversed


def _boolean(single: dict[str, str], name: str) -> bool:
    value = single.get(name, "false")
    if value not in {"true", "false"}:
        raise errors.ParameterNotBoolean(name=name)
    return value == "true"


def _whole_number(single: dict[str, str], name: str, most: int) -> int | None:
    if name not in single:
        return None
    digits = single[name]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20 and 1 <= int(digits) <= most):
        raise errors.ParameterNotANumber(name=name, limit=most)
    return int(digits)


def _period(single: dict[str, str], *, has_both: bool) -> str | None:
    period = single.get("period")
    if period is None:
        return None
    if period not in PERIODS:
        raise errors.PeriodUnknown(periods=", ".join(PERIODS))
    if "duration" not in single and not has_both:
        raise errors.PeriodAlone
    return period


def _duration(single: dict[str, str], *, has_both: bool) -> int | None:
    duration = _whole_number(single, "duration", MAX_DURATION)
    if duration is not None:
        if "period" not in single:
            raise errors.DurationAlone
        if has_both:
            raise errors.DurationAndRange
    return duration


def _filters(repeated: dict[str, list[str]]) -> tuple[Filter, ...]:
    for parameter in ("filter_by", "filter_by_prefix"):
        if any(escaping.split(text)[1] is None for text in repeated[parameter]):
            raise errors.FilterForm(name=parameter)
    if repeated["filter_by"] and repeated["filter_by_prefix"]:
        raise errors.FiltersOfBothKinds
    equal = [_filter("filter_by", text) for text in repeated["filter_by"]]
    return tuple(equal or [_filter("filter_by_prefix", text) for text in repeated["filter_by_prefix"]])


def _filter(parameter: str, text: str) -> Filter:
    name, value = escaping.split(text)
    assert value is not None  # noqa: S101  `_filters` has checked it
    is_prefix = parameter == "filter_by_prefix"
    if not (names.is_field_name(name) or name == "_id" or (name in names.MOMENTS and not is_prefix)):
        raise errors.FilterField(name=parameter)
    if name not in names.MOMENTS:
        return Filter(name=name, value=value, is_prefix=is_prefix)
    try:
        return Filter(name=name, value=value, is_prefix=False, moment=moments.parse(value))
    except moments.NotAMoment as error:
        raise errors.FilterMoment from error


def _group_by(given: list[str]) -> tuple[str, ...]:
    parts = [escaping.split(text) for text in given]
    if not all(rest is None and names.is_field_name(name) for name, rest in parts):
        raise errors.GroupField
    if len(set(parts)) < len(parts):
        raise errors.GroupTwice
    return tuple(name for name, _ in parts)


def _collect(given: list[str], group_by: tuple[str, ...], *, is_raw: bool) -> tuple[Collect, ...]:
    if given and is_raw:
        raise errors.CollectAlone
    parts = [(name, "set" if method is None else method, method is None) for name, method in map(escaping.split, given)]
    if any(method not in METHODS for _, method, _ in parts):
        raise errors.CollectMethod
    if not all(names.is_field_name(name) for name, _, _ in parts):
        raise errors.CollectField
    if any(name in group_by for name, _, _ in parts):
        raise errors.CollectGrouped
    return tuple(
        Collect(name=name, method=method, keys=(f"{name}:{method}", *([name] if is_bare else [])))
        for name, method, is_bare in parts
    )


def _check_keys(group_by: tuple[str, ...], collect: tuple[Collect, ...], *, has_values: bool) -> None:
    """Raise InvalidQuery if two values would have one key, such as the field `a:sum` and the sum of `a`."""
    meanings: dict[str, object] = dict.fromkeys(group_by)
    for one in collect:
        for key in one.keys:
            if meanings.setdefault(key, (one.name, one.method)) != (one.name, one.method):
                raise errors.SameName(name=key)
    if has_values and "values" in meanings:
        raise errors.FieldNamedValues


def _sort(
    single: dict[str, str], group_by: tuple[str, ...], period: str | None, collect: tuple[Collect, ...]
) -> Sort | None:
    if "sort_by" not in single:
        return None
    key, colon, direction = single["sort_by"].rpartition(":")
    if not colon or direction not in {"ascending", "descending"}:
        raise errors.SortForm
    if period is not None and not group_by:
        raise errors.SortPeriod
    name, method = escaping.split(key)
    if group_by:
        bare = {*group_by, "_count", *(["_group_count"] if period is not None else [])}
        bare |= {one.name for one in collect if one.name in one.keys}
        is_known = name in bare if method is None else (name, method) in {(one.name, one.method) for one in collect}
    else:
        is_known = method is None and (name in _SORTABLE_RAW or names.is_field_name(name))
    if not is_known:
        raise errors.SortField
    return Sort(key=name if method is None else f"{name}:{method}", descending=direction == "descending")


def _cursor(single: dict[str, str], identity: str, *, is_raw_json: bool) -> cursor.Position | None:
    if "cursor" not in single:
        return None
    if not is_raw_json:
        raise errors.CursorForm
    try:
        return cursor.read(single["cursor"], identity)
    except cursor.InvalidCursor as error:
        raise errors.CursorForeign from error
