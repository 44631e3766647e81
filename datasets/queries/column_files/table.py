"""Write the records of a query as one Parquet file with a column for each field, for people and other programs.

Source: docs/reference/data-sets.md §11 (Parquet).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datasets.columns import layout
from datasets.columns.duckdb import identifier, quoted
from datasets.queries.column_files.conditions import Conditions
from datasets.queries.column_files.sources import Relation
from datasets.records.names import COMPUTED

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_EXACT = 2**53  # doubles hold all whole numbers up to here
OWN = ("_id", "_timestamp", "_start_at", "_end_at", "_updated_at")


def fields_of(columns: Sequence[str]) -> list[str]:
    """Return the fields that have columns of their own, by name."""
    return sorted({name.partition(":")[2] for name in columns if name not in layout.OWN and name != layout.REST})


def write(
    connection: "DuckDBPyConnection",
    relation: Relation,
    conditions: Conditions,
    *,
    names: Sequence[str],
    order: str,
    most: int | None,
    path: str,
) -> None:
    """Write these fields of the records that pass the conditions, in order, up to `most`."""
    source = f"FROM ({relation.sql()}) WHERE {conditions.sql}"
    taken: dict[str, int] = {}
    selected: list[str] = []
    for name in names:
        if name in OWN:
            value = name
        elif name in COMPUTED:
            value = f"date_trunc('{name.removeprefix('_').removesuffix('_start_at')}', _timestamp)"
        else:
            value = _value(connection, relation, conditions, name, source)
        selected.append(f"{value} AS {identifier(_name(name, taken))}")
    limit = "" if most is None else f"LIMIT {most}"
    connection.execute(
        f"COPY (SELECT {', '.join(selected)} {source} ORDER BY {order} {limit}) TO {quoted(path)}"
        " (FORMAT parquet, COMPRESSION zstd)",
        conditions.parameters,
    )


def _name(field: str, taken: dict[str, int]) -> str:
    """Return the field's name, with a number if another one differs from it only in case: SQL has no case."""
    number = taken[field.casefold()] = taken.get(field.casefold(), 0) + 1
    return field if number == 1 else f"{field}_{number}"


def _value(
    connection: "DuckDBPyConnection", relation: Relation, conditions: Conditions, field: str, source: str
) -> str:
    """Return the SQL of the column: of the type that all values have, or else the JSON text of each."""
    whole, double, text, other = (relation.column(kind, field) for kind in layout.KINDS)
    found = connection.execute(
        f"SELECT count({whole}), count({double}), count({text}), max(abs(CAST({whole} AS HUGEINT))),"
        f" count(*) FILTER (WHERE {other} IN ('true', 'false')),"
        f" count(*) FILTER (WHERE {other} NOT IN ('true', 'false', 'null')) {source}",
        conditions.parameters,
    ).fetchall()
    wholes, doubles, texts, largest, booleans, others = found[0]
    if not others and not (bool(wholes or doubles) + bool(texts) + bool(booleans) > 1):
        if texts:
            return text
        if booleans:
            return f"CASE {other} WHEN 'true' THEN true WHEN 'false' THEN false END"
        if not doubles:
            return whole
        if (largest or 0) <= _EXACT:
            return f"coalesce({double}, CAST({whole} AS DOUBLE))"
    return f"coalesce({other}, CAST({whole} AS VARCHAR), CAST({double} AS VARCHAR), CAST(to_json({text}) AS VARCHAR))"
