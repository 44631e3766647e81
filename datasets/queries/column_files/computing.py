"""Let DuckDB compute quantiles and numbers of different values of a field whose numbers are whole and not large.

`quantile_cont` interpolates as the row store does, but always returns a double. `quantile_disc` is one of the two
neighbours, so it shows whether both are equal: then the answer is the whole number itself.
"""

import math
from collections.abc import Iterator

from duckdb import DuckDBPyConnection

from datasets.queries.column_files.fields import CollectedField
from datasets.queries.column_files.statement import GroupedStatement
from datasets.queries.counted import Computed
from datasets.queries.methods import QUANTILES


def computed(connection: DuckDBPyConnection, statement: GroupedStatement, field: CollectedField) -> Iterator[Computed]:
    """Yield the values of the field's computed methods for each group of the statement."""
    whole, _, text, other = field.columns
    shares = [QUANTILES[method] for method in field.computed if method in QUANTILES]
    columns = [f"count({whole})"]
    for function in ("quantile_cont", "quantile_disc"):
        columns.append(f"{function}({whole}, {shares})" if shares else "NULL")
    different = (whole, text, f"CASE WHEN {other} IN ('true', 'false') THEN {other} END")
    columns.append(
        " + ".join(f"count(DISTINCT {value})" for value in different) if "distinct" in field.computed else "NULL"
    )
    for keys, period, (number, between, neighbours, distinct) in statement.rows(connection, columns):
        if distinct is not None:
            yield Computed(keys, period, field.number, "distinct", distinct)
        if number:
            for method, double, whole_number in zip(
                (method for method in field.computed if method in QUANTILES),
                between or (),
                neighbours or (),
                strict=True,
            ):
                value = _quantile(QUANTILES[method], number, double, whole_number)
                yield Computed(keys, period, field.number, method, value)


def _quantile(share: float, number: int, double: float, neighbour: int) -> int | float:
    place = (number - 1) * share
    return neighbour if place == math.floor(place) or double == neighbour else double
