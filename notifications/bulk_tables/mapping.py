"""Let a person choose the column for each value that a template needs. Names are guessed first.

Source: docs/reference/console.md §3.4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from notifications.bulk_tables.columns import EMAIL_ADDRESS, PHONE_NUMBER, match
from notifications.bulk_tables.tables import Cell
from notifications.rendering.placeholders import key

Places = Sequence[int]  # the positions of the columns of one value, from 0; several make a list

_NOT_USED = " (not used)"  # after the name of a column that matches a value for which another column is chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A column, or the columns of one name together, that a person can choose."""

    places: Places
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spellings:
    """Spellings of one name. Unless the person chooses another column, the last one counts."""

    used: str
    others: list[str]


def needs(placeholders: Sequence[str], *, is_email: bool) -> list[str]:
    """Return the values that a row needs: the recipient first, then each placeholder.

    >>> needs(["name", "Phone-Number"], is_email=False)
    ['phone number', 'name']
    """
    recipient = recipient_name(is_email=is_email)
    return [recipient, *(name for name in placeholders if key(name) != key(recipient))]


def recipient_name(*, is_email: bool) -> str:
    return EMAIL_ADDRESS if is_email else PHONE_NUMBER


def options(names: Sequence[str]) -> list[Option]:
    """Return each column, and after the first of several with one name, all of them as a list.

    >>> [option.label for option in options(["name", "", "name"])]
    ['name (column A)', 'name (columns A, C as a list)', 'Column B', 'name (column C)']
    """
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    found = []
    for place, name in enumerate(names):
        same = places[name] if name else [place]
        letter = letters(place)
        label = f"{name} (column {letter})" if len(same) > 1 else name or f"Column {letter}"
        found.append(Option(places=[place], label=label))
        if len(same) > 1 and place == same[0]:
            found.append(Option(places=same, label=f"{name} (columns {', '.join(map(letters, same))} as a list)"))
    return found


def letters(place: int) -> str:
    """Return the letters of a column in a spreadsheet.

    >>> letters(0), letters(25), letters(26), letters(701), letters(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    text, rest = "", place + 1
    while rest:
        rest, last = divmod(rest - 1, 26)
        text = chr(ord("A") + last) + text
    return text


def guess(names: Sequence[str], placeholders: Sequence[str], *, is_email: bool) -> dict[str, Places]:
    """Return the columns of each need, by name. A need without a column, or with several recipients, is left out."""
    columns = match(names, placeholders, is_email=is_email)
    found: dict[str, Places] = {}
    recipient = recipient_name(is_email=is_email)
    if columns.recipient and not columns.duplicate_recipient:
        found[recipient] = columns.recipient.places
    others = [name for name in placeholders if name in columns.values and key(name) != key(recipient)]
    return found | {name: columns.values[name].places for name in others}


def spellings(names: Sequence[str], placeholders: Sequence[str]) -> list[Spellings]:
    """Return the placeholders that match several columns with different spellings."""
    found = []
    for name in placeholders:
        same = list(dict.fromkeys(reversed([each for each in names if key(each) == key(name)])))
        if len(same) > 1:
            found.append(Spellings(used=same[0], others=same[:0:-1]))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the cells of a row are stored, so that the names match as the person has chosen.

    names: the names of the stored cells: those of the table, with other names where a choice differs from the guess
    copied: positions of the cells that are stored once more at the end, because several values use their column
    """

    names: list[str]
    copied: list[int]

    def cells(self, row: Sequence[Cell]) -> list[Cell]:
        """Return the cells of a row as they are stored."""
        width = len(self.names) - len(self.copied)
        whole = [*row[:width], *[None] * (width - len(row))]
        return [*whole, *(whole[place] for place in self.copied)]


def layout(
    names: Sequence[str], placeholders: Sequence[str], choice: Mapping[str, Places], *, is_email: bool
) -> Layout:
    """Return the layout for a choice: a need → the positions of its columns."""
    guessed = guess(names, placeholders, is_email=is_email)
    needed = {key(need) for need in needs(placeholders, is_email=is_email)}
    if (
        all(list(choice.get(need, ())) == list(places) for need, places in guessed.items())
        and choice.keys() <= guessed.keys()
    ):
        return Layout(names=list(names), copied=[])
    users: dict[int, list[str]] = {}
    for need, places in choice.items():
        for place in places:
            users.setdefault(place, []).append(need)
    renamed = [
        users[place][0] if place in users else f"{name}{_NOT_USED}" if key(name) in needed else name
        for place, name in enumerate(names)
    ]
    further = [(need, place) for place, (_, *others) in users.items() for need in others]
    return Layout(names=[*renamed, *(need for need, _ in further)], copied=[place for _, place in further])
