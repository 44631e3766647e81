"""Compute the answer of a question with any parameters in plain Python, without the code that it tests.

Only the order and the equality of values come from `datasets.queries.values`, which has tests of its own.
"""

import statistics
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from datasets.queries import values
from tests.datasets import plain
from tests.datasets.questions.drawn_conditions import holds, text_of

Row = dict[str, Any]
Span = tuple[datetime, datetime]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question. where: as drawn; having: key, operator and number; sort_by: key and whether it descends"""

    collect: list[tuple[str, str]]
    where: Any = None
    filter_by: tuple[str, str] | None = None
    group_by: list[str] = field(default_factory=list)
    span: Span | None = None
    period: str = ""
    time_zone: str = ""
    compare: str = ""
    moving: int = 0
    having: tuple[str, str, int] | None = None
    sort_by: tuple[str, bool] | None = None
    limit: int = 0
    flatten: bool = False

    def pairs(self) -> list[tuple[str, str]]:
        """Return the parameters of the API."""
        found = [("collect", f"{name}:{method}") for name, method in self.collect]
        found += [("group_by", name) for name in self.group_by]
        found += [("where", text_of(self.where))] if self.where else []
        found += [("filter_by", ":".join(self.filter_by))] if self.filter_by else []
        if self.span:
            found += list(zip(("start_at", "end_at"), map(stamp, self.span), strict=True))
        for name in ("period", "time_zone", "compare", "moving", "limit"):
            found += [(name, str(getattr(self, name)))] * bool(getattr(self, name))
        found += [("having", " ".join(map(str, self.having)))] if self.having else []
        if self.sort_by:
            found.append(("sort_by", f"{self.sort_by[0]}:{'descending' if self.sort_by[1] else 'ascending'}"))
        return found + [("flatten", "true")] * self.flatten

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone or "UTC")


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%FT%TZ")


def answer(records: list[Row], asked: Asked) -> list[Row]:
    """Return the rows of the answer."""
    borders = _borders(asked, asked.span) if asked.period else []
    groups = _groups(records, asked, asked.span)
    before_span = _before(asked) if asked.compare else None
    before = _groups(records, asked, before_span) if before_span else {}
    rows = []
    for key in sorted(groups):
        whole = {**_names(groups[key], asked), **_figures(groups[key], asked)}
        series = [_between(groups[key], one) for one in borders]
        counted = whole | ({"_group_count": sum(map(bool, series))} if asked.period and asked.group_by else {})
        if asked.having and not holds(((asked.having[0],), asked.having[1], [asked.having[2]]), counted):
            continue
        shown = [{**_stamps(one), **_figures(members, asked)} for one, members in zip(borders, series, strict=True)]
        if asked.moving:
            _add_means(shown, asked)
        if asked.compare:
            counted["_previous"] = _figures(before.get(key, []), asked)
            for number, row in enumerate(shown):
                its = _period_before(asked, borders, before_span, number)
                row["_previous"] = _figures(_between(before.get(key, []), its) if its else [], asked)
        rows.append((counted, shown))
    rows = _in_order(rows, asked)
    if not asked.period:
        return [row for row, _ in rows]
    if not asked.group_by:
        return rows[0][1]
    if not asked.flatten:
        return [{**row, "values": shown} for row, shown in rows]
    names = [{name: row[name] for name in asked.group_by} for row, _ in rows]
    return [names[place] | rows[place][1][number] for number in range(len(borders)) for place in range(len(rows))]


def _groups(records: list[Row], asked: Asked, span: Span | None) -> dict[Any, list[Row]]:
    found: dict[Any, list[Row]] = {} if asked.group_by else {(): []}
    for record in records:
        is_chosen = asked.where is None or holds(asked.where, record)
        if asked.filter_by:
            name, text = asked.filter_by
            is_chosen = is_chosen and name in record and plain.matches(record[name], text)
        if is_chosen and (span is None or span[0] <= at(record) < span[1]):
            parts = [value_at(record, name, asked) for name in asked.group_by]
            if all(part and not isinstance(part[0], list | dict) for part in parts):
                found.setdefault(tuple(values.order(part[0]) for part in parts), []).append(record)
    return found


def at(record: Row) -> datetime:
    return datetime.fromisoformat(record["_timestamp"])


def value_at(record: Row, name: str, asked: Asked) -> list[Any]:
    """Return a list with the value of a field, path or part of the time, or an empty list."""
    local = at(record).astimezone(asked.zone)
    if name in {"_hour_of_day", "_day_of_week"}:
        return [local.hour if name == "_hour_of_day" else local.isoweekday()]
    if name in record:
        return [record[name]]
    value: Any = record
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            return []
        value = value[part]
    return [value]


def _names(members: list[Row], asked: Asked) -> Row:
    return {name: value_at(members[0], name, asked)[0] for name in asked.group_by}


def _figures(members: list[Row], asked: Asked) -> Row:
    row: Row = {"_count": len(members)}
    ordered = sorted(members, key=lambda record: (at(record), record["_id"]))
    for name, method in asked.collect:
        found = [value for record in ordered for value in value_at(record, name, asked) if value is not None]
        if method in {"first", "last"}:
            scalars = [value for value in found if isinstance(value, str | int | float)]
            row[f"{name}:{method}"] = (scalars[0] if method == "first" else scalars[-1]) if scalars else None
        else:
            row[f"{name}:{method}"] = plain.collected(method, found)
    return row


def _add_means(shown: list[Row], asked: Asked) -> None:
    for key in ["_count", *(f"{name}:{method}" for name, method in asked.collect)]:
        found = [row[key] for row in shown]
        if any(value is not None and values.number(value) is None for value in found):
            continue
        for place, row in enumerate(shown):
            last = found[max(0, place + 1 - asked.moving) : place + 1] if place + 1 >= asked.moving else []
            numbers = [value for value in last if value is not None]
            row[f"{key}:moving"] = statistics.mean(numbers) if numbers else None


def _in_order(rows: list[tuple[Row, list[Row]]], asked: Asked) -> list[tuple[Row, list[Row]]]:
    if asked.sort_by:
        key, descends = asked.sort_by
        last = [row for row in rows if values.is_last(row[0][key])]
        rows = [row for row in rows if not values.is_last(row[0][key])]
        rows = sorted(rows, key=lambda row: values.order(row[0][key]), reverse=descends) + last
    return rows[: asked.limit or None]


# Periods


def _borders(asked: Asked, span: Span) -> list[Span]:
    """Return the periods that contain the range."""
    start = _start(asked, span[0])
    found = []
    while start < span[1]:
        end = _next(asked, start)
        found.append((start, end))
        start = end
    return found


def _start(asked: Asked, moment: datetime) -> datetime:
    local = moment.astimezone(asked.zone)
    if asked.period == "hour":
        return moment - timedelta(minutes=local.minute, seconds=local.second)
    day = local.date()
    day -= timedelta(days={"week": local.weekday(), "month": local.day - 1}.get(asked.period, 0))
    return _midnight(asked, day)


def _next(asked: Asked, start: datetime) -> datetime:
    if asked.period == "hour":
        return start + timedelta(hours=1)
    day = start.astimezone(asked.zone).date()
    days = {"day": 1, "week": 7, "month": 32 - day.day}[asked.period]
    later = day + timedelta(days=days)
    return _midnight(asked, later.replace(day=1) if asked.period == "month" else later)


def _midnight(asked: Asked, day: Any) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=asked.zone).astimezone(UTC)


def _between(members: list[Row], span: Span) -> list[Row]:
    return [record for record in members if span[0] <= at(record) < span[1]]


def _stamps(span: Span) -> Row:
    return {"_start_at": stamp(span[0]), "_end_at": stamp(span[1])}


# Comparisons


def _before(asked: Asked) -> Span:
    start, end = asked.span
    first, last = (one.astimezone(asked.zone).replace(tzinfo=None) for one in asked.span)
    if asked.compare == "previous_year":
        if last.time() == datetime.min.time():  # the last day, not its end, has a day of the year before
            return _instant(asked, _year_before(asked, first)), _instant(
                asked, _year_before(asked, last - timedelta(days=1)) + timedelta(days=1)
            )
        return _instant(asked, _year_before(asked, first)), _instant(asked, _year_before(asked, last))
    if all(one.time() == datetime.min.time() for one in (first, last)):
        if first.day == last.day == 1:
            months = (last.year - first.year) * 12 + last.month - first.month
            place = first.year * 12 + first.month - 1 - months
            return _instant(asked, first.replace(year=place // 12, month=place % 12 + 1)), start
        return _instant(asked, first - (last - first)), start
    return start - (end - start), start


def _year_before(asked: Asked, local: datetime) -> datetime:
    if asked.period == "week":
        return local - timedelta(weeks=52)
    is_leap_day = (local.month, local.day) == (2, 29)
    return local.replace(year=local.year - 1, day=28 if is_leap_day else local.day)


def _instant(asked: Asked, local: datetime) -> datetime:
    return local.replace(tzinfo=asked.zone).astimezone(UTC)


def _period_before(asked: Asked, borders: list[Span], before: Span, number: int) -> Span | None:
    its = _borders(asked, before)
    if asked.compare == "previous_period":
        return its[number] if number < len(its) else None
    start = _instant(asked, _year_before(asked, borders[number][0].astimezone(asked.zone).replace(tzinfo=None)))
    return next((one for one in its if one[0] == start), None)
