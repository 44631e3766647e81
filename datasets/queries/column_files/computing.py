"""Let DuckDB compute quantiles and numbers of different values of a field, if all its numbers are of one kind.

`quantile_cont` interpolates as the row store does, but always returns a double. Of whole numbers, `quantile_disc` is
one of the two neighbours, so it shows whether both are equal: then the answer is the whole number itself.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from datasets.queries.column_files.fields import CollectedField
from datasets.queries.column_files.statement import GroupedStatement
from datasets.queries.counted import Computed
from datasets.queries.methods import QUANTILES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def computed(
    connection: "DuckDBPyConnection", statement: GroupedStatement, field: CollectedField
) -> Iterator[Computed]:
    """Yield the values of the field's computed methods for each group of the statement."""
    _, _, text, other = field.columns
    quantiles = [method for method in field.computed if method in QUANTILES]
    shares = [QUANTILES[method] for method in quantiles]
    columns = [f"count({field.of})"]
    for function in ("quantile_cont", "quantile_disc"):
        columns.append(f"{function}({field.of}, {shares})" if shares else "NULL")
    different = (field.of, text, f"CASE WHEN {other} IN ('true', 'false') THEN {other} END")
    columns.append(
        " + ".join(f"count(DISTINCT {value})" for value in different) if "distinct" in field.computed else "NULL"
    )
    for keys, period, (number, between, neighbours, distinct) in statement.rows(connection, columns):
        if distinct is not None:
            yield Computed(keys, period, field.number, "distinct", distinct)
        if number and shares:
            for method, double, neighbour in zip(quantiles, between, neighbours, strict=True):
                value = _quantile(QUANTILES[method], number, double, neighbour)
                yield Computed(keys, period, field.number, method, value)


def _quantile(share: float, number: int, double: float, neighbour: int | float) -> int | float:
    place = (number - 1) * share
    return neighbour if place == math.floor(place) or double == neighbour else double
