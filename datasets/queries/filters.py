"""Turn filters into SQL conditions.
Source: docs/reference/data-sets.md §11 (which records).

SQL compares the JSON text of a stored value with all JSON texts that equal the value of the filter.
"""

import json
import math

from django.db.models import F, Func, Q, QuerySet, TextField, Value
from django.db.models.functions import Length, Substr

from datasets.models import Record
from datasets.queries import values
from datasets.queries.query import Filter, Query
from datasets.queries.stored import FieldText, prepare
from datasets.queries.where.databases import Passes

_COLUMNS = {"_timestamp": "timestamp", "_start_at": "start_at", "_end_at": "end_at"}
_BEYOND_64_BITS = 2**63
_TOO_LARGE = 2**1024 - 2**970  # the smallest whole number that does not round to a double


def passing(records: QuerySet[Record], query: Query) -> QuerySet[Record]:
    """Return the records that pass all filters and the condition of the query."""
    if query.where is not None:
        prepare()
        records = records.filter(Passes(query.where))
    for number, one in enumerate(query.filters):
        if one.moment is not None:
            records = records.filter(**{_COLUMNS[one.name]: one.moment})
        elif one.name == "_id":
            records = _by_id(records, one)
        else:
            prepare()
            records = _by_field(records, f"filtered_{number}", one)
    return records


def _by_id(records: QuerySet[Record], one: Filter) -> QuerySet[Record]:
    if one.is_prefix:
        return records.alias(start_of_id=Substr("record_id", 1, len(one.value))).filter(start_of_id=one.value)
    return records.filter(record_id=one.value)


def _by_field(records: QuerySet[Record], alias: str, one: Filter) -> QuerySet[Record]:
    records = records.alias(**{alias: FieldText(one.name)})
    if one.is_prefix:
        start = json.dumps(one.value, ensure_ascii=False)[
            :-1
        ]  # the JSON text of one character never begins that of another
        return records.alias(**{f"{alias}_start": Substr(alias, 1, len(start))}).filter(**{f"{alias}_start": start})
    equal = Q(**{f"{alias}__in": sorted(_texts(one.value))})
    wanted = values.json_number(one.value)
    if isinstance(wanted, float | int) and abs(wanted) >= _BEYOND_64_BITS:
        records = records.alias(**{f"{alias}_length": Length(alias), f"{alias}_rest": _without_digits(alias)})
        equal |= _whole_beyond_64_bits(alias, float(wanted))
    return records.filter(equal)


def _texts(value: str) -> set[str]:
    """Return all JSON texts that equal the value of a filter, except whole numbers beyond 64 bits.

    >>> sorted(_texts("12")), sorted(_texts("true")), sorted(_texts("-0"))
    (['"12"', '12', '12.0'], ['"true"', 'true'], ['"-0"', '-0.0', '0', '0.0'])
    """
    texts = {json.dumps(value, ensure_ascii=False)}
    if value in {"true", "false", "null"}:
        texts.add(value)
    number = values.json_number(value)
    if number is not None:
        double = float(number)
        texts |= {repr(double)} if double == number else set()
        texts |= {repr(int(number))} if number == int(number) and values.is_in_64_bits(int(number)) else set()
        texts |= {"-0.0", "0.0"} if number == 0 else set()
    return texts


def _without_digits(alias: str) -> Func:
    """Return SQL that is empty for whole numbers and not empty for any other JSON text."""
    return Func(F(alias), Value("-0123456789"), function="TRIM", output_field=TextField())


def _whole_beyond_64_bits(alias: str, double: float) -> Q:
    """Match whole numbers that round to this double. Texts of equal length sort like their numbers."""
    nearest, furthest = (str(number) for number in _rounded_to(abs(double)))
    sign = "-" if double < 0 else ""
    nearest, furthest = sign + nearest, sign + furthest

    def side(lengths: str, within: str, border: str) -> Q:
        longer = Q(**{f"{alias}_length__{lengths}": len(border)})
        return longer | Q(**{f"{alias}_length": len(border), f"{alias}__{within}": border})

    is_whole = Q(**{f"{alias}_rest": ""})
    is_negative = Q(**{f"{alias}__startswith": "-"})
    has_sign = is_negative if double < 0 else ~is_negative
    return is_whole & has_sign & side("gt", "gte", nearest) & side("lt", "lte", furthest)


def _rounded_to(double: float) -> tuple[int, int]:
    """Return the least and the greatest whole number beyond 64 bits that round to this positive double.

    >>> _rounded_to(2.0**64)
    (18446744073709550592, 18446744073709553664)
    """
    whole = int(double)
    below = (whole + int(math.nextafter(double, 0))) // 2
    following = math.nextafter(double, math.inf)
    above = (whole + int(following)) // 2 if math.isfinite(following) else _TOO_LARGE - 1
    least = below if float(below) == double else below + 1
    greatest = above if float(above) == double else above - 1
    return max(least, _BEYOND_64_BITS), greatest
