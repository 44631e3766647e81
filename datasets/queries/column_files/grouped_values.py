"""The values of collected fields with their groups, as SQL that several statements use."""

from datasets.queries.column_files.sources import is_null
from datasets.queries.column_files.statement import GroupedStatement


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
        where = f"{statement.conditions.sql} AND ({is_there})"
        self.each = f"SELECT {selected} FROM ({statement.source}) WHERE {where}"  # noqa: S608  numbered columns

    def by(self, *further: str) -> str:
        """Return the GROUP BY of the groups and further columns, or "" for none."""
        columns = [*self.named, *further]
        return f"GROUP BY {', '.join(columns)}" if columns else ""

    def same(self, one: str, other: str) -> str:
        """Return the condition that two relations have the same groups."""
        return " AND ".join(f"{one}.{name} IS NOT DISTINCT FROM {other}.{name}" for name in self.named) or "true"
