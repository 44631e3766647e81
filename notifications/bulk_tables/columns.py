"""Match the columns of a table with a template. Source: docs/reference/bulk-sending.md §2."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from notifications.bulk_tables.tables import MAX_COLUMNS, Cell, clean
from notifications.rendering.placeholders import key

EMAIL_ADDRESS, PHONE_NUMBER = "email address", "phone number"
RECIPIENT_COLUMNS = (EMAIL_ADDRESS, PHONE_NUMBER)
REFERENCE, UNSUBSCRIBE_URL, TIME_ZONE = "reference", "one_click_unsubscribe_url", "time zone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The column, or the columns of exactly one name, that hold a value.

    name: as the table spells it
    places: the positions in a row, from 0; several make a list
    """

    name: str
    places: Sequence[int]

    def value(self, row: Sequence[Cell]) -> Cell:
        """Return the cleaned value of a row, or None if it is blank. Short rows lack the cells at their end."""
        cells = [clean(row[place]) for place in self.places if place < len(row)]
        if len(self.places) == 1:
            return cells[0] if cells else None
        return [item for cell in cells if cell for item in ([cell] if isinstance(cell, str) else cell)] or None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumns:
    """What the columns of a table are for.

    names: each name once, in order
    has_too_many: whether more columns have a name than a table may have
    missing: names of the recipient column and of placeholders that have no column, sorted
    duplicate_recipient: the spellings of the recipient column if there are several such columns, sorted
    unused: names that neither the template nor the service uses
    recipient: None if it is missing
    values: placeholder, as the template spells it → its column
    special: the columns REFERENCE, UNSUBSCRIBE_URL and TIME_ZONE that are not placeholders
    """

    names: list[str]
    has_too_many: bool
    missing: list[str]
    duplicate_recipient: list[str]
    unused: list[str]
    recipient: Column | None
    values: Mapping[str, Column]
    special: Mapping[str, Column]

    @property
    def used_places(self) -> list[int]:
        """Return the positions of the columns that the template or the service uses, in order."""
        used = [*self.values.values(), *self.special.values(), *([self.recipient] if self.recipient else [])]
        return sorted({place for column in used for place in column.places})


def is_recipient_column(name: str) -> bool:
    """Return whether a column of this name holds recipients of one of the channels."""
    return key(name) in map(key, RECIPIENT_COLUMNS)


def match(
    names: Sequence[str], placeholders: Sequence[str], *, is_email: bool, optional: Iterable[str] = ()
) -> TableColumns:
    """Match the column names of a table with the placeholders of a template.

    optional: placeholders that need no column
    Of two spellings of one name the later column counts.
    """
    recipient_name = EMAIL_ADDRESS if is_email else PHONE_NUMBER
    columns, recipients = _by_key(names), [name for name in names if key(name) == key(recipient_name)]
    needed = {key(name): name for name in [*placeholders, recipient_name]}
    special = [REFERENCE, *([UNSUBSCRIBE_URL] if is_email else []), TIME_ZONE]
    may_lack = {key(name) for name in optional} - {key(recipient_name)}
    used = needed.keys() | {key(name) for name in special}
    return TableColumns(
        names=list(dict.fromkeys(names)),
        has_too_many=sum(bool(name) for name in names) > MAX_COLUMNS,
        missing=sorted(name for normal, name in needed.items() if normal not in columns and normal not in may_lack),
        duplicate_recipient=sorted(set(recipients)) if len(recipients) > 1 else [],
        unused=[name for name in dict.fromkeys(names) if key(name) not in used],
        recipient=columns.get(key(recipient_name)),
        values={name: columns[key(name)] for name in placeholders if key(name) in columns},
        special={
            name: columns[key(name)]
            for name in special
            if key(name) in columns and (name == REFERENCE or key(name) not in needed)
        },
    )


def _by_key(names: Sequence[str]) -> dict[str, Column]:
    """Return the column of each name without regard to spelling."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    last = {key(name): name for name in names}
    return {normal: Column(name=name, places=places[name]) for normal, name in last.items()}
