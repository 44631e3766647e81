"""The question of a saved query: what is measured, of which records, in which range, by which periods and groups.

A question is stored as JSON and changed into the parameters of the API, so that both give the same answer.
Source: docs/reference/saved-queries.md.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from functools import lru_cache
from typing import Any, Self
from urllib.parse import urlencode

from config.invalid import InvalidValue
from config.rest.strict_json import is_storable_text
from datasets.errors import InvalidQuery, SavedQueryInvalid
from datasets.queries import escaping, field_parameters, local_time, parameters, periods
from datasets.queries.local_time import TIME_PARTS, zone_names
from datasets.queries.methods import NUMERIC
from datasets.queries.parameters import COMPARISONS, MOVING
from datasets.queries.query import PERIODS, Query
from datasets.queries.readers import ALL, Reader
from datasets.records import moments, names

MAX_PERIODS = 1_000
MAX_GROUPS = 100
_KEPT = 1_000  # checked questions in a process
METHODS = (*NUMERIC, "count", "distinct")
RANGES = ("last", "this_year", "between", "all")
_SOME_DAY = moments.parse("2024-02-29T00:00:00Z")
_BOUNDS = parameters.Bounds(default_limit=1_000, max_limit=1_000)

Pairs = list[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A figure: the number of records if `field` is blank, else a method on a field.

    where: a condition on the records that count; data_set: the path of another data set, or blank
    """

    field: str = ""
    method: str = "sum"
    where: str = ""
    data_set: str = ""

    @property
    def key(self) -> str:
        """Return the key of the figure in the rows of the API."""
        return f"{self.field}:{self.method}" if self.field else "_count"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRange:
    """A range of time: the last `number` periods of a `unit`, this year to date, between two moments, or all.

    unit: for ranges without periods in the answer; start_at, end_at: for `between`
    """

    kind: str = "last"
    number: int = 12
    unit: str = "month"
    start_at: str = ""
    end_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A whole question. divided_by: the second measure of a ratio; limit: the number of groups without periods"""

    measure: Measure = Measure()
    divided_by: Measure | None = None
    where: str = ""
    period: str = ""
    split: str = ""
    range: AskedRange = AskedRange()
    compare: str = ""
    moving: int | None = None
    time_zone: str = ""
    limit: int | None = None

    @classmethod
    def of(cls, document: object) -> Self:
        """Return the question of a JSON document. Raises InvalidValue."""
        question = cls.unchecked(document)
        question.check()
        return question

    @classmethod
    def stored(cls, document: object) -> "Question":
        """Return the question that a saved query keeps. Raises SavedQueryInvalid if a rule has changed since."""
        try:
            return _checked(json.dumps(document))
        except InvalidValue as error:
            raise SavedQueryInvalid(reason=str(error)) from error

    @classmethod
    def unchecked(cls, document: object) -> Self:
        """Return a question whose values have the right types, but may break a rule. Raises InvalidValue."""
        given = dict(_members(document, cls, "question"))
        for name, kind in (("measure", Measure), ("divided_by", Measure), ("range", AskedRange)):
            if name in given and (given[name] is not None or name != "divided_by"):
                given[name] = kind(**_members(given[name], kind, name))
        return cls(**given)

    def document(self) -> dict[str, Any]:
        return asdict(self)

    def check(self) -> None:
        """Raise InvalidValue for the first value that is wrong."""
        for measure in self.measures:
            _check_measure(measure)
        _check_choice("period", self.period, ("", *PERIODS))
        _check_choice("range", self.range.kind, RANGES)
        _check_choice("unit of the range", self.range.unit, PERIODS)
        _check_choice("compare", self.compare, ("", *COMPARISONS))
        _check_number("number of periods", self.range.number, range(1, MAX_PERIODS + 1))
        _check_number("moving", self.moving, MOVING)
        if self.moving and not self.period:
            raise InvalidValue("Choose periods. Means over the last periods need them.")
        _check_number("limit", self.limit, range(1, MAX_GROUPS + 1))
        if self.time_zone and self.time_zone not in zone_names():
            raise InvalidValue("Choose a time zone by its IANA name, such as Europe/London.")
        if self.range.kind == "all" and (self.period or self.compare):
            raise InvalidValue("Choose a range of time. Periods and comparisons need one.")
        if self.period and self.limit:
            raise InvalidValue("Leave out the limit. It works without periods only.")
        try:
            for condition in filter(str.strip, (self.where, *(one.where for one in self.measures))):
                field_parameters.where(condition)  # alone, because two of them could have brackets that fit together
            for measure in self.measures:
                self.query(measure, now=_SOME_DAY, reader=ALL)
        except InvalidQuery as error:
            raise InvalidValue(str(error)) from error

    @property
    def paths(self) -> set[str]:
        """Return the paths of the other data sets that its measures name."""
        return {measure.data_set for measure in self.measures if measure.data_set}

    @property
    def measures(self) -> list[Measure]:
        return [self.measure] if self.divided_by is None else [self.measure, self.divided_by]

    def group_key(self, *taken: str) -> str:
        """Return the name of the group in a row: the field, or `group` if the row has another value of this name."""
        return "group" if self.split in taken else self.split

    def query(self, measure: Measure, *, now: datetime, reader: Reader) -> Query:
        """Return the query that gives this measure of the records that may be read. Raises InvalidQuery."""
        return parameters.parse(urlencode(self.pairs(measure, now=now)), data_set_id=0, bounds=_BOUNDS, reader=reader)

    def pairs(self, measure: Measure, *, now: datetime) -> Pairs:
        """Return the parameters of the API that give this measure."""
        found: Pairs = []
        conditions = [text for text in (self.where, measure.where) if text.strip()]
        if conditions:
            brackets = "{}" if len(conditions) == 1 else "({})"
            found.append(("where", " and ".join(map(brackets.format, conditions))))
        if measure.field:
            found.append(("collect", f"{escaping.escape(measure.field)}:{measure.method}"))
        elif not self.split and not self.period:
            found.append(("collect", "records:count"))  # totals need a field; `_count` is there whatever it is
        if self.split:
            found.append(("group_by", self.split if self.split in TIME_PARTS else escaping.escape(self.split)))
        if self.period:
            found += [("period", self.period), *([("flatten", "true")] if self.split else [])]
        found += self._span(now)
        found += [("time_zone", self.time_zone)] if self.time_zone else []
        found += [("compare", self.compare)] if self.compare else []
        return found

    def _span(self, now: datetime) -> Pairs:
        """Return the range. It ends with a whole period or day, so that an answer can be kept until then."""
        asked, zone = self.range, self.time_zone
        if asked.kind == "all":
            return []
        if asked.kind == "between":
            return [("start_at", asked.start_at), ("end_at", asked.end_at)]
        today = local_time.local(now, zone) if zone else now
        if asked.kind == "this_year":
            start, end = moments.period_starts(today)["year"], periods.next_start(today, "day")
        else:
            unit = self.period or asked.unit
            end = moments.period_starts(today)[unit]
            start = periods.shifted(end, unit, -asked.number)
        start_at, end_at = (moments.write(local_time.instant(at, zone) if zone else at) for at in (start, end))
        if asked.kind == "last" and self.period:
            return [("duration", str(asked.number)), ("end_at", end_at)]
        return [("start_at", start_at), ("end_at", end_at)]


@lru_cache(maxsize=_KEPT)  # a check parses the conditions: 1.6 ms, several times in a request
def _checked(text: str) -> Question:
    return Question.of(json.loads(text))


def _members(document: object, kind: type, name: str) -> Mapping[str, Any]:
    """Return the members of a JSON object that is to become a dataclass. Raises InvalidValue."""
    if not isinstance(document, Mapping):
        raise InvalidValue(f"{name} must be an object.")
    known = {one.name: one.type for one in fields(kind)}
    for key, value in document.items():
        if key not in known:
            raise InvalidValue(f"{name} has no setting {str(key)[:50]}.")
        is_number = key in {"number", "moving", "limit"}
        is_part = key in {"measure", "divided_by", "range"} and kind is Question
        may_be_null = key in {"moving", "limit", "divided_by"}
        if value is None and may_be_null:
            continue
        if is_part:
            continue
        if not isinstance(value, int if is_number else str) or isinstance(value, bool):
            raise InvalidValue(f"{key} must be {'a whole number' if is_number else 'a text'}.")
        if isinstance(value, str) and not is_storable_text(value):
            raise InvalidValue(f"{key} must not contain NUL or lone surrogates.")
    return document


def _check_measure(measure: Measure) -> None:
    if measure.field and not names.is_field_name(measure.field):
        raise InvalidValue(f"“{names.shown(measure.field)}” is not a field name.")
    _check_choice("method", measure.method, METHODS)


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InvalidValue(f"{name} must be one of {', '.join(filter(None, choices))}.")


def _check_number(name: str, value: int | None, allowed: range) -> None:
    if value is not None and value not in allowed:
        raise InvalidValue(f"{name} must be a whole number from {allowed[0]} to {allowed[-1]}.")
