"""What a query reads: column files, and lines with the records of open segments; and both as one SQL relation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from datasets.columns import layout
from datasets.columns.duckdb import identifier, lines_of, quoted
from datasets.queries.local_time import TIME_PARTS, Shift
from datasets.records import names

_NUMBER = "'-?[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?'"
# The JSON text of a value in `_rest`, as the column of each kind.
_OF_TEXT = {
    layout.WHOLE: "CASE WHEN regexp_full_match({text}, '-?[0-9]+') THEN TRY_CAST({text} AS BIGINT) END",
    layout.DOUBLE: (
        f"CASE WHEN regexp_full_match({{text}}, {_NUMBER}) AND regexp_matches({{text}}, '[.e]')"
        " AND {text} <> '-0.0' THEN TRY_CAST({text} AS DOUBLE) END"
    ),
    layout.TEXT: "CASE WHEN starts_with({text}, '\"') THEN json_extract_string({text}, '$') END",
    layout.OTHER: (
        f"CASE WHEN starts_with({{text}}, '\"') THEN NULL WHEN NOT regexp_full_match({{text}}, {_NUMBER})"
        " OR {text} = '-0.0' OR (NOT regexp_matches({text}, '[.e]') AND TRY_CAST({text} AS BIGINT) IS NULL)"
        " THEN {text} END"
    ),
}


_NULL = "CAST(NULL AS "
_OWN = ", ".join(f"{_NULL}{type}) AS {name}" for name, type in layout.OWN.items())
_NO_RECORDS = f"SELECT {_OWN} WHERE false"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Files with these columns: column files, or lines of a `layout.Writer`, whose longest has `longest` bytes."""

    paths: tuple[str, ...]
    columns: frozenset[str]
    longest: int = 0


@dataclass(frozen=True, slots=True)
class FieldOrPath:
    """The field of a name with dots or, in records without it, the path. `stored.field_or_path` is the same."""

    name: str
    path: tuple[str, ...]


Field = str | tuple[str, ...] | FieldOrPath  # a name, a path into nested objects, or either


def asked(name: str) -> Field:
    """Return what a name of `group_by` or `collect` stands for."""
    path = names.path_of(name)
    return name if path is None else FieldOrPath(name, path)


class Relation:
    """The sources of a query as one relation with the same columns for each field that the query names.

    kinds: by field, the kinds of columns that any source has
    """

    def __init__(self, sources: Sequence[Source], fields: Iterable[Field], part_shift: Shift = ()) -> None:
        self._sources = sources
        self._part_shift = part_shift
        wanted = list(dict.fromkeys(fields))
        self._either = [field for field in wanted if isinstance(field, FieldOrPath)]
        paths = [*(field for field in wanted if isinstance(field, tuple)), *(one.path for one in self._either)]
        self._paths = list(dict.fromkeys(paths))
        plain = [*(field for field in wanted if isinstance(field, str)), *(one.name for one in self._either)]
        self.fields = tuple(dict.fromkeys([*plain, *(path[0] for path in self._paths)]))
        self.kinds: dict[Field, tuple[str, ...]] = {
            field: tuple(kind for kind in layout.KINDS if any(_may_have(one, kind, field) for one in sources))
            for field in self.fields
        }
        for path in self._paths:
            self.kinds[path] = layout.KINDS if layout.OTHER in self.kinds[path[0]] else ()
        for one in self._either:
            self.kinds[one] = tuple(
                kind for kind in layout.KINDS if kind in self.kinds[one.name] or kind in self.kinds[one.path]
            )
        self._numbers = {field: number for number, field in enumerate(self.kinds)}

    def column(self, kind: str, field: Field) -> str:
        """Return the SQL of a column of the relation. Fields are numbered, because DuckDB's names have no case."""
        if field in TIME_PARTS:
            return self._time_part(str(field)) if kind == layout.WHOLE else _null(kind)
        return f"{kind}_{self._numbers[field]}" if kind in self.kinds[field] else _null(kind)

    def is_there(self, field: Field) -> str:
        """Return SQL that is true if the record has the field."""
        columns = [f"{self.column(kind, field)} IS NOT NULL" for kind in self.kinds[field]]
        return f"({' OR '.join(columns)})" if columns else "false"

    def sql(self) -> str:
        found = " UNION ALL ".join(f"({self._select(one)})" for one in self._sources) or _NO_RECORDS
        if not self._sources:
            return found
        for path in self._paths:
            found = self._with_path(path, found)
        for one in self._either:
            columns = [
                f"CASE WHEN {self.is_there(one.name)} THEN {self.column(kind, one.name)}"
                f" ELSE {self.column(kind, one.path)} END AS {kind}_{self._numbers[one]}"
                for kind in self.kinds[one]
            ]
            found = f"SELECT {', '.join(['*', *columns])} FROM ({found})"  # noqa: S608  numbered columns
        return found

    def _with_path(self, path: tuple[str, ...], found: str) -> str:
        """Add the columns of a path. Only members of objects are found, not elements of arrays."""
        if not self.kinds[path]:
            return found
        text = self.column(layout.OTHER, path[0])
        for name in path[1:]:
            pointer = quoted("/" + name.replace("~", "~0").replace("/", "~1"))
            text = f"CAST(CASE WHEN starts_with({text}, '{{') THEN json_extract({text}, {pointer}) END AS VARCHAR)"
        number = self._numbers[path]
        columns = [f"{_OF_TEXT[kind].format(text=f'path_{number}')} AS {kind}_{number}" for kind in layout.KINDS]
        with_text = f"SELECT *, {text} AS path_{number} FROM ({found})"  # noqa: S608  quoted names
        return f"SELECT *, {', '.join(columns)} FROM ({with_text})"  # noqa: S608  numbered columns

    def _time_part(self, name: str) -> str:
        function = "hour" if name == "_hour_of_day" else "isodow"
        return f"{function}({shifted('_timestamp', self._part_shift)})"

    def _select(self, source: Source) -> str:
        selected = ["_id", "_timestamp", *(self._own(source, name) for name in ("_start_at", "_end_at", "_updated_at"))]
        for field in self.fields:
            for kind in self.kinds[field]:
                selected.append(f"{_expression(source, kind, field)} AS {kind}_{self._numbers[field]}")
        if source.longest:
            read = " UNION ALL BY NAME ".join(
                f"SELECT * FROM {lines_of(path, sorted(source.columns), source.longest)}"  # noqa: S608  columns of the layout
                for path in source.paths
            )
            return f"SELECT {', '.join(selected)} FROM ({read})"  # noqa: S608  columns of the layout
        paths = ", ".join(map(quoted, source.paths))
        return f"SELECT {', '.join(selected)} FROM read_parquet([{paths}])"  # noqa: S608

    def _own(self, source: Source, name: str) -> str:
        return name if name in source.columns else f"{_NULL}TIMESTAMP) AS {name}"


def is_null(column: str) -> bool:
    """Return whether this column of a relation is null for all records, because no source has it."""
    return column.startswith(_NULL)


def shifted(column: str, shift: Shift) -> str:
    """Return the SQL of a moment after the shift was added."""
    if not shift:
        return column
    first, *later = shift
    arms = " ".join(
        f"WHEN {column} >= TIMESTAMP '{naive(change.at)}' THEN {change.seconds}" for change in reversed(later)
    )
    seconds = f"CASE {arms} ELSE {first.seconds} END" if later else str(first.seconds)
    return f"({column} + to_seconds({seconds}))"


def naive(moment: datetime) -> datetime:
    """Return the moment in UTC without its zone, as column files hold it."""
    return moment.replace(tzinfo=None)


def as_double(other: str) -> str:
    """Return SQL for the double of a long number: infinity if it is too large for one."""
    endless = f"CASE WHEN starts_with({other}, '-') THEN CAST('-inf' AS DOUBLE) ELSE CAST('inf' AS DOUBLE) END"
    return f"coalesce(TRY_CAST({other} AS DOUBLE), {endless})"


def _may_have(source: Source, kind: str, field: str) -> bool:
    return layout.column(kind, field) in source.columns or _is_in_rest(source, field)


def _is_in_rest(source: Source, field: str) -> bool:
    has_columns = any(layout.column(kind, field) in source.columns for kind in layout.KINDS)
    return layout.REST in source.columns and not has_columns


def _expression(source: Source, kind: str, field: str) -> str:
    name = layout.column(kind, field)
    if name in source.columns:
        return identifier(name)
    if _is_in_rest(source, field):
        return _OF_TEXT[kind].format(text=f"{layout.REST}[{quoted(field)}]")
    return _null(kind)


def _null(kind: str) -> str:
    return f"{_NULL}{layout.type_of(layout.column(kind, ''))})"
