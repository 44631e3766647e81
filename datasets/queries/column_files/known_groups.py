"""What one statement found out about the groups, so that the next one need not read their records again."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from datasets.queries.column_files.fields import CollectedField
from datasets.queries.column_files.statement import GroupedStatement, StatementRow

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST = 64  # groups that are kept


@dataclass(slots=True)
class KnownNumbers:
    """The numbers of a field. sizes: how many groups have this number of them; least, greatest: of all groups"""

    sizes: Counter[int] = field(default_factory=Counter)
    least: Any = None  # a whole number or a double, as DuckDB returns it
    greatest: Any = None

    def add(self, size: int, least: Any, greatest: Any) -> None:
        """Add the numbers of a group."""
        if size:
            self.sizes[size] += 1
            self.least = least if self.least is None else min(self.least, least)
            self.greatest = greatest if self.greatest is None else max(self.greatest, greatest)


@dataclass(slots=True)
class KnownGroups:
    """groups: all, or the first ones if there are more than MOST; records: of all; numbers: by the field's number"""

    groups: list[StatementRow] = field(default_factory=list)
    records: int = 0
    numbers: dict[int, KnownNumbers] = field(default_factory=dict)

    @classmethod
    def read(cls, connection: "DuckDBPyConnection", statement: GroupedStatement, of: CollectedField) -> Self:
        """Read the groups of a statement and the numbers of a field."""
        found = cls()
        numbers = found.numbers[of.number] = KnownNumbers()
        columns = ["count(*)", f"count({of.of})", f"min({of.of})", f"max({of.of})"]
        for row in statement._replace(only=None).rows(connection, columns):
            records, size, least, greatest = row.values
            found.add(row, records)
            numbers.add(size, least, greatest)
        return found

    def add(self, row: StatementRow, records: int) -> None:
        """Add a group."""
        self.records += records
        if len(self.groups) <= MOST:
            self.groups.append(row)
