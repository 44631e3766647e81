"""Parse the query string of a read into a Query, or raise the first error in the contract's order.

Source: docs/reference/data-sets.md §11.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import parse_qsl

from datasets import errors
from datasets.queries import cursor, field_parameters
from datasets.queries.local_time import zone_names
from datasets.queries.query import PERIODS, Query
from datasets.queries.readers import Reader
from datasets.records import moments

REPEATED = frozenset({"filter_by", "filter_by_prefix", "group_by", "collect", "select"})
SINGLE = frozenset(
    {"format", "start_at", "end_at", "inclusive", "period", "duration", "sort_by", "limit", "cursor", "flatten"}
    | {"where", "having", "time_zone", "compare", "moving"}
)
FORMATS = ("json", "csv", "ndjson", "parquet")
MAX_DURATION = 10_000
MOVING = range(2, 367)
COMPARISONS = ("previous_period", "previous_year")
# SQLite cannot run a statement with 500 sums, and 250 filters by long numbers took PostgreSQL 11 s.
MAX_TIMES = {"group_by": 20, "collect": 100, "filter_by": 50, "filter_by_prefix": 50, "select": 100}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The limits of the installation."""

    default_limit: int
    max_limit: int


def parse(query_string: str, *, data_set_id: int, bounds: Bounds, reader: Reader) -> Query:
    """Return the query about what the reader may read. Raises InvalidQuery.

    Percent-encoded bytes that are not UTF-8 become U+FFFD.
    """
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
    filters = field_parameters.filters(repeated)
    where = field_parameters.where(single["where"]) if "where" in single else None
    group_by = field_parameters.group_by(repeated["group_by"])
    collect = field_parameters.collect(repeated["collect"], group_by)
    is_raw = not group_by and not collect and period is None
    sort = field_parameters.sort(single, group_by, period, collect)
    limit = _limit(single, bounds, group_by, period, is_totals=bool(collect))
    if format == "parquet" and not is_raw:
        raise errors.ParquetGrouped
    is_raw_json = is_raw and format == "json"
    if reader.services is not None:  # so a cursor and an entity tag of one reader mean nothing to another one
        where = reader.limited(where)
        pairs.append(("reader", " ".join(reader.services)))
    identity = cursor.query_hash(data_set_id, pairs)
    after = _cursor(single, identity, is_raw_json=is_raw_json)
    flatten = _boolean(single, "flatten")
    is_nested = bool(group_by) and period is not None and not flatten and format != "csv"
    moving = _moving(single, period) if "moving" in single else None
    having = field_parameters.having(single["having"], group_by, period, collect) if "having" in single else None
    select = field_parameters.select(repeated["select"], is_raw=is_raw) if repeated["select"] else ()
    time_zone = _time_zone(single["time_zone"], is_raw=is_raw) if "time_zone" in single else None
    compare = None
    if "compare" in single:
        compare = _compare(single["compare"], is_raw=is_raw, has_range=has_both or duration is not None)
    field_parameters.check_keys(group_by, collect, has_values=is_nested, is_moving=moving is not None)
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
        where=where,
        having=having,
        select=select,
        time_zone=time_zone,
        compare=compare,
        moving=moving,
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


def _whole_number(single: dict[str, str], name: str, allowed: range) -> int | None:
    if name not in single:
        return None
    digits = single[name]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20 and int(digits) in allowed):
        raise errors.ParameterNotANumber(name=name, least=allowed[0], limit=allowed[-1])
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
    duration = _whole_number(single, "duration", range(1, MAX_DURATION + 1))
    if duration is not None:
        if "period" not in single:
            raise errors.DurationAlone
        if has_both:
            raise errors.DurationAndRange
    return duration


def _limit(
    single: dict[str, str], bounds: Bounds, group_by: tuple[str, ...], period: str | None, *, is_totals: bool
) -> int | None:
    limit = _whole_number(single, "limit", range(1, bounds.max_limit + 1))
    if limit is not None and not group_by:
        if period is not None:
            raise errors.LimitPeriod
        if is_totals:
            raise errors.LimitTotals
    return limit


def _time_zone(name: str, *, is_raw: bool) -> str | None:
    """Return the name of a time zone, None for UTC."""
    if is_raw:
        raise errors.TimeZoneRaw
    if name not in zone_names():
        raise errors.TimeZoneUnknown(name=name[:50])
    return None if name == "UTC" else name


def _compare(compare: str, *, is_raw: bool, has_range: bool) -> str:
    if compare not in COMPARISONS:
        raise errors.CompareUnknown
    if is_raw or not has_range:
        raise errors.CompareAlone
    return compare


def _moving(single: dict[str, str], period: str | None) -> int | None:
    moving = _whole_number(single, "moving", MOVING)
    if moving is not None and period is None:
        raise errors.MovingAlone
    return moving


def _cursor(single: dict[str, str], identity: str, *, is_raw_json: bool) -> cursor.Position | None:
    if "cursor" not in single:
        return None
    if not is_raw_json:
        raise errors.CursorForm
    try:
        return cursor.read(single["cursor"], identity)
    except cursor.InvalidCursor as error:
        raise errors.CursorForeign from error
