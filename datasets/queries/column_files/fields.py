"""Decide for a collected field which values DuckDB adds up, counts, computes or lists."""

from dataclasses import dataclass

from duckdb import DuckDBPyConnection

from datasets.columns.layout import KINDS
from datasets.queries.column_files.sources import Relation
from datasets.queries.column_files.statement import GroupedStatement
from datasets.queries.methods import METHODS, QUANTILES, Needs

_FALSE = "false"
_LARGE = 2**40  # above it, a quantile between two whole numbers may round to one of them


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedField:
    """A collected field. columns: the SQL of its value by kind

    adds: whether whole numbers are added up
    listed: the SQL condition for the values that are returned one by one with their counts, or ""
    computed: the methods whose values DuckDB computes itself
    """

    number: int
    columns: tuple[str, ...]
    adds: bool
    listed: str
    computed: tuple[str, ...]

    @classmethod
    def of(
        cls,
        connection: DuckDBPyConnection,
        all_records: GroupedStatement,
        number: int,
        relation: Relation,
        name: str,
        methods: set[str],
    ) -> "CollectedField":
        columns = tuple(relation.column(kind, name) for kind in KINDS)
        whole, double, text, other = columns
        is_number = f"({double} IS NOT NULL OR {_is_number(other)})"
        needs = {method: METHODS[method].needs for method in methods}
        spread = tuple(sorted(method for method, need in needs.items() if need >= Needs.NUMBERS))
        if not spread:
            listed = is_number if Needs.TOTALS in needs.values() else ""
            return cls(number=number, columns=columns, adds=True, listed=listed, computed=())
        if set(spread) <= {*QUANTILES, "distinct"} and _is_plain(connection, all_records, columns):
            return cls(number=number, columns=columns, adds=True, listed="", computed=spread)
        listed = f"({whole} IS NOT NULL OR {is_number})"
        if Needs.VALUES in needs.values():
            listed = f"({listed} OR {text} IS NOT NULL OR coalesce({other} IN ('true', 'false'), false))"
        return cls(number=number, columns=columns, adds=False, listed=listed, computed=())

    def totals(self) -> list[str]:
        """Return six columns: whole numbers, their sum, least, greatest; other present values; listed values."""
        whole, double, text, other = self.columns
        listed = self.listed or _FALSE
        is_present = (
            f"({double} IS NOT NULL OR {text} IS NOT NULL OR coalesce({other} <> 'null', false)"
            f" OR {_FALSE if self.adds else f'{whole} IS NOT NULL'})"
        )
        added = whole if self.adds else "CAST(NULL AS BIGINT)"
        return [
            f"count({added})",
            f"sum({added})",
            f"min({added})",
            f"max({added})",
            f"count(*) FILTER (WHERE {is_present} AND NOT {listed})",
            f"count(*) FILTER (WHERE {listed})",
        ]


def _is_number(other: str) -> str:
    return f"coalesce(regexp_matches({other}, '^[-0-9]'), false)"


def _is_plain(connection: DuckDBPyConnection, all_records: GroupedStatement, columns: tuple[str, ...]) -> bool:
    """Return whether all numbers are whole and not large, so that DuckDB's own quantiles and counts are the same."""
    whole, double, _, other = columns
    odd = f"count(*) FILTER (WHERE {double} IS NOT NULL OR {_is_number(other)})"
    largest = f"max(greatest({whole}, -1 - {whole}))"
    found = all_records._replace(groups=[], only=None).rows(connection, [odd, largest])
    _, _, (number, size) = next(iter(found))
    return not number and (size or 0) < _LARGE
