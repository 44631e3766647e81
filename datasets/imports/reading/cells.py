"""The values of cells that are no plain texts, numbers or booleans, and the reasons why a value does not fit."""

from datetime import datetime
from typing import NamedTuple

Cell = object  # str, int, float, bool, None, CellMoment, Bad, or a JSON value of a record


class CellMoment(NamedTuple):
    """A date or a time. at: local without a zone, or in UTC with one; fraction: digits of the second, as given"""

    at: datetime
    has_time: bool
    fraction: str = ""

    @property
    def text(self) -> str:
        """Return the text in the form of ISO 8601, without a zone."""
        day = f"{self.at:%Y-%m-%d}".rjust(10, "0")
        if not self.has_time:
            return day
        return f"{day} {self.at:%H:%M:%S}" + (f".{self.fraction}" if self.fraction else "")


class Bad(NamedTuple):
    """A cell without a usable value. shown: as the file shows it; reason: why the row is rejected"""

    shown: str
    reason: str


class Unfit(ValueError):
    """The value does not fit the settings. The message is the reason of the rejection."""


class UnreadableFile(Exception):
    """The whole file cannot be read. The message is for the person."""


def text_of(cell: Cell) -> str:
    """Return the text of a cell, as texts are joined and stored. Raises Unfit for a list or an object.

    >>> text_of(5.0), text_of(0.1), text_of(True), text_of(None)
    ('5', '0.1', 'true', '')
    """
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int):
        return str(cell)
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, CellMoment):
        return cell.text
    if isinstance(cell, Bad):
        raise Unfit(cell.reason)
    raise Unfit("is not a text")


def is_blank(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def shown(cell: Cell) -> Cell:
    """Return the value as a rejected row shows it."""
    if isinstance(cell, Bad):
        return cell.shown
    return cell.text if isinstance(cell, CellMoment) else cell
