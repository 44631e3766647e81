"""Decide for a collected field which values DuckDB adds up, counts, computes or lists.

DuckDB's sum of doubles is not exact, but its sum of whole numbers is. So doubles are multiplied by a power of two that
makes all of them whole, which is exact, and `collect` divides the sum. Doubles that differ too much in size are listed.
"""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from datasets.columns.layout import KINDS
from datasets.queries.column_files.sources import Field, Relation
from datasets.queries.column_files.statement import GroupedStatement
from datasets.queries.methods import METHODS, QUANTILES, Needs

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TOTALS = 10  # columns of `CollectedField.totals`
_FALSE = "false"
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

    adds: whether whole numbers are added up
    places: the power of two by which doubles are multiplied before they are added up; None: they are not added up
    listed: the SQL condition for the values that are returned one by one with their counts, or ""
    computed: the methods whose values DuckDB computes itself, from the column `of`
    placed: the methods that need the first or last record
    """

    number: int
    columns: tuple[str, ...]
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
        """Return the plan for a field. It reads the numbers of the field once if the plan depends on them."""
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
        needs = {method: METHODS[method].needs for method in methods}
        spread = tuple(sorted(method for method, need in needs.items() if need >= Needs.NUMBERS))
        if not spread and Needs.TOTALS not in needs.values():
            return cls(number=number, columns=columns, adds=True, places=None)
        numbers = Numbers(0, 0, 0, 0.0, 0.0)
        if spread or "double" in relation.kinds[name]:
            numbers = _numbers(connection, all_records, columns)
        places = numbers.places()
        is_listed = _is_number(other) if places is not None else f"({double} IS NOT NULL OR {_is_number(other)})"
        if not spread:
            return cls(number=number, columns=columns, adds=True, places=places, listed=is_listed)
        of = _computable(numbers, columns) if set(spread) <= {*QUANTILES, "distinct", "stddev"} else ""
        if of and (places is not None or Needs.TOTALS not in needs.values()):
            return cls(number=number, columns=columns, adds=True, places=places, computed=spread, of=of)
        listed = f"({whole} IS NOT NULL OR {double} IS NOT NULL OR {_is_number(other)})"
        if Needs.VALUES in needs.values():
            listed = f"({listed} OR {text} IS NOT NULL OR coalesce({other} IN ('true', 'false'), false))"
        return cls(number=number, columns=columns, adds=False, places=None, listed=listed)

    def totals(self) -> list[str]:
        """Return TOTALS columns.

        They are the number, sum, least and greatest of the whole numbers and of the doubles that are added up, the
        number of other present values, and that of listed values.
        """
        whole, double, text, other = self.columns
        listed = self.listed or _FALSE
        rest = [f"{text} IS NOT NULL", f"coalesce({other} <> 'null', false)"]
        rest += [] if self.adds else [f"{whole} IS NOT NULL"]
        rest += [] if self.places is not None else [f"{double} IS NOT NULL"]
        wholes = whole if self.adds else "CAST(NULL AS BIGINT)"
        doubles = double if self.places is not None else "CAST(NULL AS DOUBLE)"
        scaled = f"CAST({doubles} * {2.0 ** (self.places or 0)!r} AS HUGEINT)"
        return [
            *(f"count({wholes})", f"sum({wholes})", f"min({wholes})", f"max({wholes})"),
            *(f"count({doubles})", f"sum({scaled})", f"min({doubles})", f"max({doubles})"),
            f"count(*) FILTER (WHERE ({' OR '.join(rest)}) AND NOT {listed})",
            f"count(*) FILTER (WHERE {listed})",
        ]


def _is_number(other: str) -> str:
    return f"coalesce(regexp_matches({other}, '^[-0-9]'), false)"


def _numbers(connection: "DuckDBPyConnection", all_records: GroupedStatement, columns: tuple[str, ...]) -> Numbers:
    whole, double, _, other = columns
    size = f"nullif(abs({double}), 0)"
    wanted = [
        *(f"count({whole})", f"count(*) FILTER (WHERE {_is_number(other)})"),
        *(f"count({double})", f"min({size})", f"max({size})"),
    ]
    _, _, found = next(iter(all_records._replace(groups=[], only=None).rows(connection, wanted)))
    return Numbers(*(value or 0 for value in found))


def _computable(numbers: Numbers, columns: tuple[str, ...]) -> str:
    """Return the column that has all numbers, so that DuckDB's quantiles and counts are the same, or ""."""
    whole, double, _, _ = columns
    if numbers.longer or (numbers.wholes and numbers.doubles):
        return ""
    return double if numbers.doubles else whole
