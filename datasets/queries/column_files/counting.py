"""Count the records of column files in DuckDB, as `queries.counting` does in the databases.

`fields` decides what DuckDB adds up itself. What it lists, `collect` adds up.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from datasets.columns.layout import KINDS
from datasets.queries.column_files import computing
from datasets.queries.column_files.conditions import Conditions
from datasets.queries.column_files.fields import TOTALS, CollectedField
from datasets.queries.column_files.known_groups import KnownGroups
from datasets.queries.column_files.sources import Field, Relation, as_double, asked, is_null, shifted
from datasets.queries.column_files.statement import GroupedStatement, text_of, utc
from datasets.queries.counted import DOUBLES, OTHER, WHOLE, Computed, Counted, FoundValue, fields
from datasets.queries.local_time import TIME_PARTS, Shift
from datasets.queries.methods import POINT
from datasets.queries.query import Query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def count(
    connection: "DuckDBPyConnection",
    relation: Relation,
    conditions: Conditions,
    query: Query,
    only: set[tuple[str | None, ...]] | None = None,
    period_shift: Shift = (),
    max_rows: int | None = None,
) -> Iterator[Counted | Computed | FoundValue]:
    """Yield the counts of the records, in no order.

    only: the keys of the groups to count, None for all
    max_rows: if there are no more groups, those beyond the limit of the query are left out; None: none is left out
    period_shift: what to add to `_timestamp` before its period is found
    """
    by_value = [relation.column(kind, asked(name)) for name in query.group_by for kind in KINDS]
    by_number = [column for name in query.group_by for column in _equal_numbers(relation, asked(name))]
    at = shifted("_timestamp", period_shift)
    by_period = [] if query.period is None else [f"CAST(date_trunc('{query.period}', {at}) AS TIMESTAMP)"]
    has_period = bool(by_period)
    statement = GroupedStatement(relation.sql(), conditions, [*by_value, *by_period], by_period=has_period, only=only)
    whole = statement._replace(groups=by_value, by_period=False)
    collected = [
        CollectedField.plan(connection, whole, number, relation, asked(name), methods)
        for number, (name, methods) in enumerate(fields(query.collect).items())
    ]
    can_lead = only is None and max_rows is not None and query.limit is not None and by_number == by_value
    leading = _leading(statement, query, collected, max_rows or 0) if can_lead else "true"
    known = KnownGroups()
    yield from _totals(connection, statement, collected, leading, known)
    only_of_numbers = only if by_number == by_value else None
    has_all = only is None and by_number == by_value
    for field in collected:
        if field.listed:
            for keys, period, values, _ in statement.rows(connection, ["count(*)"], field.columns, field.listed):
                yield Counted(keys, period, field.number, text_of(*values[: len(KINDS)]), values[-1])
        for method in field.placed:
            yield from _places(connection, statement, field, method)
        if field.computed:
            groups = statement._replace(groups=[*by_number, *by_period], only=only_of_numbers)
            yield from computing.computed(connection, groups, field, known if has_all else None)
            if has_period and query.group_by:
                whole_groups = groups._replace(groups=by_number, by_period=False)
                yield from computing.computed(connection, whole_groups, field, None)


def _leading(statement: GroupedStatement, query: Query, collected: list[CollectedField], max_rows: int) -> str:
    """Return the condition for the groups that the order and the limit leave, or "true" if only Python can find them.

    Python needs 25 µs for a group. The values of the groups are whole numbers and texts only, in one column each.
    """
    has_more = any(field.listed or field.placed or field.computed for field in collected)
    order = [f"{column} NULLS LAST" for column in statement.groups if not is_null(column)]
    if has_more or not order or query.having is not None or query.period is not None:
        return "true"
    all_if = [f"count(*) OVER () > {max_rows}"]  # then the query is refused
    if query.sort is not None:
        sorted_by = [one for one in query.collect if query.sort.key in one.keys][-1:]
        value = "count(*)"
        if sorted_by:
            field = collected[list(fields(query.collect)).index(sorted_by[0].name)]
            whole, double, _, _ = field.columns
            if sorted_by[0].method != "sum" or is_null(whole) or not is_null(double):
                return "true"
            value = f"sum({whole})"
            all_if.append(f"max(abs({value})) OVER () > {2**63 - 1}")  # longer numbers are ordered as doubles
        elif query.sort.key != "_count":
            return "true"
        order = [f"{value} {'DESC' if query.sort.descending else 'ASC'} NULLS LAST", *order]
    return f"(row_number() OVER (ORDER BY {', '.join(order)}) <= {query.limit} OR {' OR '.join(all_if)})"


def _equal_numbers(relation: Relation, field: Field) -> list[str]:
    """Return the columns of a field by kind, with equal numbers in one column: what is computed cannot be added up."""
    whole, double, text, other = (relation.column(kind, field) for kind in KINDS)
    if field in TIME_PARTS or not {"double", "other"} & {*relation.kinds[field]}:
        return [whole, double, text, other]
    is_number = f"coalesce(regexp_matches({other}, '^[-0-9]'), false)"
    number = f"coalesce({double}, CASE WHEN {is_number} THEN {as_double(other)} END)"
    is_whole = f"{number} = floor({number}) AND {number} >= -{2**63}.0 AND {number} < {2**63}.0"
    return [
        f"CASE WHEN {whole} IS NOT NULL THEN {whole} WHEN {is_whole} THEN CAST({number} AS BIGINT) END",
        f"CASE WHEN NOT ({is_whole}) THEN {number} END",
        text,
        f"CASE WHEN NOT {is_number} THEN {other} END",
    ]


def _places(
    connection: "DuckDBPyConnection", statement: GroupedStatement, field: CollectedField, method: str
) -> Iterator[FoundValue]:
    """Yield the value of the first or last record of each group that has one."""
    *_, other = field.columns
    is_there = " OR ".join(f"{column} IS NOT NULL" for column in field.columns)
    is_scalar = f"coalesce({other} IN ('true', 'false') OR regexp_matches({other}, '^[-0-9]'), {other} IS NULL)"
    columns = ", ".join([*field.columns, "_timestamp", "_id"])
    function = "arg_min" if method == "first" else "arg_max"
    row = f"{function}(row({columns}), row(_timestamp, _id))"
    for keys, period, (found,), _ in statement.rows(connection, [row], where=f"({is_there}) AND {is_scalar}"):
        if found is not None:  # without groups, there is a row of no records
            *values, timestamp, record_id = found.values() if isinstance(found, dict) else found
            value = text_of(*values)
            if value is not None:
                yield FoundValue(keys, period, field.number, method, value, utc(timestamp), record_id)


def _have_values(statement: GroupedStatement) -> str:
    """Return the condition for groups that have a value of each field."""
    by_field = [statement.groups[first : first + len(KINDS)] for first in range(0, len(statement.groups), len(KINDS))]
    return " AND ".join(f"({' OR '.join(f'{column} IS NOT NULL' for column in columns)})" for columns in by_field)


def _totals(
    connection: "DuckDBPyConnection",
    statement: GroupedStatement,
    collected: list[CollectedField],
    leading: str,
    known: KnownGroups,
) -> Iterator[Counted]:
    """Yield what DuckDB adds up, and add what it shows of the groups to `known`."""
    columns = ["count(*)", *(column for field in collected for column in field.totals())]
    # A group without a value is no row of the answer. With the second condition, which no group passes, DuckDB compares
    # the groups and not each record: 10 % of the time.
    after = "" if leading == "true" else f"HAVING {_have_values(statement)} OR count(*) = 0 QUALIFY {leading}"
    for field in collected:
        if field.counts_numbers:
            known.sizes[field.number] = Counter()
    for row in statement.rows(connection, columns, after=after):
        keys, period, (records, *totals), _ = row
        known.add(row, records)
        if not collected:
            if records:
                yield Counted(keys, period, 0, None, records)
            continue
        for field in collected:
            wholes, total, least, greatest, doubles, scaled, smallest, largest, others, listed = totals[:TOTALS]
            del totals[:TOTALS]
            if field.number in known.sizes:
                numbers = (wholes, least, greatest) if wholes else (doubles, smallest, largest)
                known.add_numbers(field.number, *numbers)
            if wholes:
                yield Counted(keys, period, field.number, WHOLE, wholes, int(total), least, greatest)
            if doubles:
                exact = int(scaled) << (POINT - (field.places or 0))
                yield Counted(keys, period, field.number, DOUBLES, doubles, exact, smallest, largest)
            if others:
                yield Counted(keys, period, field.number, OTHER, others)
            rest = records - wholes - doubles - others - listed
            if field.number == 0 and rest:
                yield Counted(keys, period, 0, None, rest)
