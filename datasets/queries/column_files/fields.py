"""Decide for a collected field which values DuckDB adds up, counts, computes or lists.

DuckDB's sum of doubles is not exact, but its sum of whole numbers is. So doubles are multiplied by a power of two that
makes all of them whole, which is exact, and `collect` divides the sum. Doubles that differ too much in size are listed.
"""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from datasets.columns.layout import KINDS
from datasets.queries.column_files.sources import Field, Relation, is_null
from datasets.queries.column_files.statement import GroupedStatement
from datasets.queries.methods import METHODS, QUANTILES, Needs

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TOTALS = 10  # columns of `CollectedField.totals`
_NOTHING = ("0", "0", "NULL", "NULL")  # in place of the number, sum, least and greatest value of a column
_SUMS = {"sum", "mean"}
_OF_ANY_NUMBER = {"sum", "min", "max"}  # need to know only whether there is a number
_IS_THERE = "{0} IS NOT NULL"
_IS_NUMBER = "coalesce(regexp_matches({0}, '^[-0-9]'), false)"
_BITS = 126  # of the sum, without its sign
_DIGITS = 53  # binary, of a double
_MOST_PLACES = 1000  # 2 to the power of more is no double


class Numbers(NamedTuple):
    """The numbers of a field in all records that a query selects.

    longer: how many other numbers have no columns of their own
    smallest, greatest: the sizes of the doubles that are not 0
    """

    wholes: int
    longer: int
    doubles: int
    smallest: float
    greatest: float

    def places(self) -> int | None:
        """Return the power of two that makes all doubles whole, or None if their sum may have too many digits."""
        if not self.smallest:
            return 0
        places = max(_DIGITS - math.frexp(self.smallest)[1], 0)
        digits = math.frexp(self.greatest)[1] + places + self.doubles.bit_length()
        return places if digits <= _BITS and places <= _MOST_PLACES else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedField:
    """A collected field. columns: the SQL of its value by kind

    methods: the methods, by which DuckDB adds up no more than they need
    adds: whether whole numbers are added up
    places: the power of two by which doubles are multiplied before they are added up; None: they are not added up
    listed: the SQL condition for the values that are returned one by one with their counts, or ""
    computed: the methods whose values DuckDB computes itself, from the column `of`
    placed: the methods that need the first or last record
    """

    number: int
    columns: tuple[str, ...]
    methods: frozenset[str]
    adds: bool
    places: int | None
    listed: str = ""
    computed: tuple[str, ...] = ()
    of: str = ""
    placed: tuple[str, ...] = ()

    @classmethod
    def plan(
        cls,
        connection: "DuckDBPyConnection",
        all_records: GroupedStatement,
        number: int,
        relation: Relation,
        name: Field,
        methods: set[str],
    ) -> "CollectedField":
        """Return the plan for a field. It reads the numbers of the field once if there may be more than whole ones."""
        placed = tuple(sorted(method for method in methods if METHODS[method].needs == Needs.PLACE))
        plan = cls._counted(connection, all_records, number, relation, name, methods - {*placed})
        return replace(plan, placed=placed)

    @classmethod
    def _counted(
        cls,
        connection: "DuckDBPyConnection",
        all_records: GroupedStatement,
        number: int,
        relation: Relation,
        name: Field,
        methods: set[str],
    ) -> "CollectedField":
        columns = tuple(relation.column(kind, name) for kind in KINDS)
        whole, double, text, other = columns
        given = frozenset(methods)
        needs = {method: METHODS[method].needs for method in methods}
        spread = tuple(sorted(method for method, need in needs.items() if need >= Needs.NUMBERS))
        if not spread and Needs.TOTALS not in needs.values():
            return cls(number=number, columns=columns, methods=given, adds=True, places=None)
        numbers = Numbers(0, 0, 0, 0.0, 0.0)
        kinds = {*relation.kinds[name]}
        if "double" in kinds or (spread and "other" in kinds):
            numbers = _numbers(connection, all_records, columns)
        places = numbers.places()
        if not spread:
            listed = _any({double: "" if places is not None else _IS_THERE, other: _IS_NUMBER})
            return cls(number=number, columns=columns, methods=given, adds=True, places=places, listed=listed)
        of = _computable(numbers, columns) if set(spread) <= {*QUANTILES, "distinct", "stddev"} else ""
        if of and (places is not None or Needs.TOTALS not in needs.values()):
            return cls(number=number, columns=columns, methods=given, adds=True, places=places, computed=spread, of=of)
        values = {whole: _IS_THERE, double: _IS_THERE, other: _IS_NUMBER}
        if Needs.VALUES in needs.values():
            values |= {text: _IS_THERE, other: f"({_IS_NUMBER} OR coalesce({{0}} IN ('true', 'false'), false))"}
        return cls(number=number, columns=columns, methods=given, adds=False, places=None, listed=_any(values))

    @property
    def counts_numbers(self) -> bool:
        """Whether the totals have the number, the least and the greatest of all numbers, for quantiles."""
        return bool({*self.computed} & {*QUANTILES}) and (self.of == self.columns[0] or self.places is not None)

    def totals(self) -> list[str]:
        """Return TOTALS columns.

        They are the number, sum, least and greatest of the whole numbers and of the doubles that are added up, the
        number of other present values if a method needs it, and that of listed values. If no method needs the number
        of numbers, it is 1 or 0.
        """
        whole, double, text, other = self.columns
        adds_doubles = self.places is not None
        conditions = {
            whole: "" if self.adds else _IS_THERE,
            double: "" if adds_doubles else _IS_THERE,
            text: _IS_THERE,
            other: "coalesce({0} <> 'null', false)",
        }
        counts_any = any(METHODS[method].needs == Needs.PRESENCE for method in self.methods)
        rest = _any(conditions) if counts_any else ""
        if rest and self.listed:
            rest = f"{rest} AND NOT {self.listed}"
        scaled = f"CAST({double} * {2.0 ** (self.places or 0)!r} AS HUGEINT)"
        return [
            *(self._added(whole, whole) if self.adds else _NOTHING),
            *(self._added(double, scaled) if adds_doubles else _NOTHING),
            f"count(*) FILTER (WHERE {rest})" if rest else "0",
            f"count(*) FILTER (WHERE {self.listed})" if self.listed else "0",
        ]

    def _added(self, column: str, addend: str) -> tuple[str, ...]:
        """Return the number, sum, least and greatest value of a column, as far as a method needs them."""
        if is_null(column):
            return _NOTHING
        total = f"sum({addend})" if self.methods & _SUMS else "0"
        least = f"min({column})" if "min" in self.methods or self.counts_numbers else "NULL"
        greatest = f"max({column})" if "max" in self.methods or self.counts_numbers else "NULL"
        number = f"count({column})"
        if self.methods and self.methods <= _OF_ANY_NUMBER:
            found = next(one for one in (total, least, greatest) if one not in _NOTHING)
            number = f"CAST({found} IS NOT NULL AS TINYINT)"  # counting all takes a tenth longer
        return number, total, least, greatest


def _any(conditions: dict[str, str]) -> str:
    """Return SQL that is true if a column passes its condition, or "" if none can: {0} stands for the column."""
    able = [condition.format(column) for column, condition in conditions.items() if condition and not is_null(column)]
    return f"({' OR '.join(able)})" if able else ""


def _numbers(connection: "DuckDBPyConnection", all_records: GroupedStatement, columns: tuple[str, ...]) -> Numbers:
    whole, double, _, other = columns
    size = f"nullif(abs({double}), 0)"
    wanted = [
        *(f"count({whole})", f"count(*) FILTER (WHERE {_IS_NUMBER.format(other)})"),
        *(f"count({double})", f"min({size})", f"max({size})"),
    ]
    _, _, found, _ = next(iter(all_records._replace(groups=[], only=None).rows(connection, wanted)))
    return Numbers(*(value or 0 for value in found))


def _computable(numbers: Numbers, columns: tuple[str, ...]) -> str:
    """Return the column that has all numbers, so that DuckDB's quantiles and counts are the same, or ""."""
    whole, double, _, _ = columns
    if numbers.longer or (numbers.wholes and numbers.doubles):
        return ""
    return double if numbers.doubles else whole
