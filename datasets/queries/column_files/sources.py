"""What a query reads: column files, and lines with the records of open segments; and both as one SQL relation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from datasets.columns import layout
from datasets.columns.duckdb import identifier, lines_of, quoted

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


_OWN = ", ".join(f"CAST(NULL AS {type}) AS {name}" for name, type in layout.OWN.items())
_NO_RECORDS = f"SELECT {_OWN} WHERE false"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Files with these columns: column files, or lines of a `layout.Writer`, whose longest has `longest` bytes."""

    paths: tuple[str, ...]
    columns: frozenset[str]
    longest: int = 0


class Relation:
    """The sources of a query as one relation with the same columns for each field that the query names.

    kinds: by field, the kinds of columns that any source has
    """

    def __init__(self, sources: Sequence[Source], fields: Iterable[str]) -> None:
        self._sources = sources
        self.fields = tuple(dict.fromkeys(fields))
        self._numbers = {field: number for number, field in enumerate(self.fields)}
        self.kinds = {
            field: tuple(kind for kind in layout.KINDS if any(_may_have(one, kind, field) for one in sources))
            for field in self.fields
        }

    def column(self, kind: str, field: str) -> str:
        """Return the SQL of a column of the relation. Fields are numbered, because DuckDB's names have no case."""
        return f"{kind}_{self._numbers[field]}" if kind in self.kinds[field] else f"CAST(NULL AS {_type(kind)})"

    def is_there(self, field: str) -> str:
        """Return SQL that is true if the record has the field."""
        columns = [f"{self.column(kind, field)} IS NOT NULL" for kind in self.kinds[field]]
        return f"({' OR '.join(columns)})" if columns else "false"

    def sql(self) -> str:
        return " UNION ALL ".join(f"({self._select(one)})" for one in self._sources) or _NO_RECORDS

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
        return f"SELECT {', '.join(selected)} FROM read_parquet([{paths}], union_by_name = true)"  # noqa: S608

    def _own(self, source: Source, name: str) -> str:
        return name if name in source.columns else f"CAST(NULL AS TIMESTAMP) AS {name}"


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
    return f"CAST(NULL AS {_type(kind)})"


def _type(kind: str) -> str:
    return layout.type_of(layout.column(kind, ""))
