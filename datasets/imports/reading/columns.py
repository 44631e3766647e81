"""Match the columns of a file with the settings. Source: docs/reference/imports.md §3, §4."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from datasets.imports.reading.questions import Alternative, Json, of_column, question
from datasets.imports.reading.settings import ColumnSettings, ImportSettings
from datasets.records import names as record_names

_OWN = frozenset({"_id", *record_names.MOMENTS})
_NONE = ColumnSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileColumn:
    """One column of a file. key: its name, or `#n` if the name is blank or not the only one; place: from 0"""

    place: int
    name: str
    key: str
    given: ColumnSettings
    is_left_out: bool

    @property
    def target(self) -> str:
        return self.given.to or self.name

    @property
    def shown(self) -> str:
        return self.name or f"column {self.place + 1}"


def resolve(names: Sequence[str], settings: ImportSettings) -> list[FileColumn]:
    """Return the columns of a file with their settings, those that are left out included."""
    counted = Counter(names)
    built = frozenset(settings.timestamp.from_) if settings.timestamp is not None else frozenset()
    found = []
    for place, name in enumerate(names):
        position = f"#{place + 1}"
        is_clear = bool(name) and counted[name] == 1
        given = settings.columns.get(position) or (settings.columns.get(name) if name else None)
        is_left_out = bool(given.leave_out) if given else False
        if given is None:
            is_built = name in built or position in built
            is_left_out = is_built or settings.other_columns == "leave_out" or name in record_names.COMPUTED
        elif given.to is None and name in record_names.COMPUTED:
            is_left_out = True
        key = position if position in settings.columns or not is_clear else name
        found.append(FileColumn(place=place, name=name, key=key, given=given or _NONE, is_left_out=is_left_out))
    return found


def ask(
    columns: Sequence[FileColumn],
    settings: ImportSettings,
    values: Sequence[int],
    merged: Mapping[int, tuple[int, int]],
) -> Iterator[Json]:
    """Yield a question for each column that cannot be stored as it is, and for tables side by side.

    values: their number, by the place of the column; merged: first and last row of a merged cell, by it, too
    """
    stored = [one for one in columns if not one.is_left_out and (one.name or one.given.to or values[one.place])]
    targets = Counter(one.target for one in stored)
    taken = set(targets)
    for one in stored:
        if not one.target:
            message = f"Column {one.place + 1} has values, and no name. What is it called?"
            yield _ask_name(one, message, f"column_{one.place + 1}", taken)
        elif targets[one.target] > 1:
            message = f"Two columns have the name {one.target}. This one is column {one.place + 1}."
            yield _ask_name(one, message, f"{one.target}_{one.place + 1}", taken)
        elif one.target == "_timestamp" and settings.timestamp is not None:
            yield _ask_name(one, "The column _timestamp and the setting timestamp both make _timestamp.", "time", taken)
        elif one.place in merged and one.given.empty is None:
            yield _ask_merged(one, *merged[one.place])
        elif one.target not in _OWN and not record_names.is_field_name(one.target):
            message = f"The name {record_names.shown(one.target)!r} cannot be stored. What is the column called?"
            yield _ask_name(one, message, _usable(one), taken)
    yield from _missing(columns, settings)
    if settings.other_columns is None:
        yield from _side_by_side(columns, values)


def _side_by_side(columns: Sequence[FileColumn], values: Sequence[int]) -> Iterator[Json]:
    """Yield a question if a blank column divides the columns into groups with different numbers of rows."""
    groups: list[list[FileColumn]] = [[]]
    for one in columns:
        if not one.name and not values[one.place]:
            groups.append([])
        elif not one.given.leave_out:  # columns that make _timestamp belong to a table, too
            groups[-1].append(one)
    tables = [group for group in groups if len(group) > 1]
    if len({max(values[one.place] for one in table) for table in tables}) < 2:
        return
    choices = []
    for table in tables:
        others = [one for group in groups if group is not table for one in group]
        leave_out = {"columns": {one.key: {"leave_out": True} for one in others}}
        first, last = table[0], table[-1]
        label = f"Only columns {first.place + 1} to {last.place + 1}: {first.shown} to {last.shown}"
        choices.append(Alternative(label, leave_out))
    choices.append(Alternative("All columns, as one table", {"other_columns": "keep"}))
    message = "A blank column divides the columns, and the parts have different numbers of values. What is imported?"
    yield question("header", message, choices)


def _ask_name(column: FileColumn, message: str, name: str, taken: set[str]) -> Json:
    while name in taken:
        name += "_"
    taken.add(name)
    key = f"#{column.place + 1}"
    choices = [
        Alternative(f"Store it as {name}", of_column(key, to=name)),
        Alternative("Leave out this column", of_column(key, leave_out=True)),
    ]
    return question("columns", message, choices, column=column.name or key)


def _ask_merged(column: FileColumn, first: int, last: int) -> Json:
    message = (
        f"{column.shown} has merged cells, such as rows {first} to {last}. Only the first row of each has the value. "
        "To give it to all of them, unmerge the cells in the file, fill them, and import the file again."
    )
    choices = [
        Alternative("Leave out this column", of_column(column.key, leave_out=True)),
        Alternative("Import the other rows without the value", of_column(column.key, empty="absent")),
    ]
    return question("columns", message, choices, column=column.shown)


def _usable(column: FileColumn) -> str:
    name = " ".join("".join(one if one.isprintable() else " " for one in column.target).split()).lstrip("_ ")
    return name[: record_names.MAX_LENGTH] or f"column_{column.place + 1}"


def _missing(columns: Sequence[FileColumn], settings: ImportSettings) -> Iterator[Json]:
    known = {one.name for one in columns if one.name} | {f"#{one.place + 1}" for one in columns}
    for name in settings.columns:
        if name not in known:
            message = f"The file has no column {name}, which the settings name."
            without = Alternative("Go on without it", {"columns": {name: None}})
            yield question("columns", message, [without], column=name)
    for key, named in (
        ("timestamp", settings.timestamp.from_ if settings.timestamp else []),
        ("id", settings.id or []),
    ):
        for name in named:
            if name not in known:
                message = f"The file has no column {name}, which the setting {key} names."
                yield question("columns", message, [Alternative(f"Go on without {key}", {key: None})], column=name)


def place_of(name: str, columns: Sequence[FileColumn]) -> FileColumn | None:
    """Return the column of this name or position."""
    return next((one for one in columns if name in {one.name, f"#{one.place + 1}"}), None)
