"""What one statement found out about the groups, so that the next one need not read their records again."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from datasets.queries.column_files.fields import CollectedField
from datasets.queries.column_files.statement import GroupedStatement, StatementRow

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST = 64  # groups that are kept


@dataclass(slots=True)
class KnownGroups:
    """groups: all, or the first ones if there are more than MOST; records: of all

    sizes: by the number of a field, how many groups have this number of numbers
    ranges: by the number of a field, its least and greatest number in all groups
    """

    groups: list[StatementRow] = field(default_factory=list)
    records: int = 0
    sizes: dict[int, Counter[int]] = field(default_factory=dict)
    ranges: dict[int, tuple[int | float, int | float]] = field(default_factory=dict)

    @classmethod
    def read(cls, connection: "DuckDBPyConnection", statement: GroupedStatement, of: CollectedField) -> Self:
        """Read the groups of a statement and the sizes of a field."""
        found = cls(sizes={of.number: Counter()})
        columns = ["count(*)", *(f"{function}({of.of})" for function in ("count", "min", "max"))]
        for row in statement._replace(only=None).rows(connection, columns):
            records, *numbers = row.values
            found.add(row, records)
            found.add_numbers(of.number, *numbers)
        return found

    def add(self, row: StatementRow, records: int) -> None:
        """Add a group."""
        self.records += records
        if len(self.groups) <= MOST:
            self.groups.append(row)

    def add_numbers(self, of: int, size: int, least: int | float, greatest: int | float) -> None:
        """Add a group's numbers of a field. size: how many there are; without any, the ends are not used."""
        self.sizes[of][size] += 1
        if size:
            before = self.ranges.get(of, (least, greatest))
            self.ranges[of] = min(least, before[0]), max(greatest, before[1])
