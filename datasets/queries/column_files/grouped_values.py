"""The values of collected fields with their groups, as SQL that several statements use."""

from typing import TYPE_CHECKING

from datasets.queries.column_files.sources import is_null
from datasets.queries.column_files.statement import GroupedStatement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class GroupedValues:
    """The values of some columns, each with its groups, as SQL that can be joined with what is known of its group.

    each: a relation with the groups `g0`, `g1` … and the columns by name, without records in which all are null
    named: its groups, without those that are null for all records; groups: all, as SQL
    """

    def __init__(self, statement: GroupedStatement, columns: dict[str, str]) -> None:
        self.named = [f"g{number}" for number, column in enumerate(statement.groups) if not is_null(column)]
        self.groups = [column if is_null(column) else f"g{number}" for number, column in enumerate(statement.groups)]
        named = [f"{column} AS g{number}" for number, column in enumerate(statement.groups) if not is_null(column)]
        selected = ", ".join([*named, *(f"{column} AS {name}" for name, column in columns.items())])
        is_there = " OR ".join(f"{column} IS NOT NULL" for column in columns.values())
        chosen = f"FROM ({statement.source}) WHERE {statement.conditions.sql}"
        self.each = f"SELECT {selected} {chosen} AND ({is_there})"
        # Without the values, which take long to read.
        self._different = f"SELECT {', '.join([*named, 'count(*) AS records'])} {chosen} {self.by()}"
        self._parameters = statement.conditions.parameters

    def number_groups(self, cursor: "DuckDBPyConnection", *, most: int, least_records: int) -> int:
        """Create a table `numbered` with the groups by `number`, and return how many.

        Return 0 if there are none or more than `most`, or if they have fewer records than `least_records`.
        """
        if not self.named:
            return 0
        different = f"{self._different} LIMIT {most + 1}"
        cursor.execute(
            f"CREATE TEMP TABLE numbered AS SELECT *, row_number() OVER () - 1 AS number FROM ({different})",  # noqa: S608
            self._parameters,
        )
        ((number, records),) = cursor.execute("SELECT count(*), coalesce(sum(records), 0) FROM numbered").fetchall()
        return int(number) if number <= most and records >= least_records else 0

    def by(self, *further: str) -> str:
        """Return the GROUP BY of the groups and further columns, or "" for none."""
        columns = [*self.named, *further]
        return f"GROUP BY {', '.join(columns)}" if columns else ""

    def same(self, one: str, other: str) -> str:
        """Return the condition that two relations have the same groups."""
        return " AND ".join(f"{one}.{name} IS NOT DISTINCT FROM {other}.{name}" for name in self.named) or "true"
