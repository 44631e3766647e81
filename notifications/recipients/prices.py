"""Load the prices of text messages by country. A country without a price cannot be sent to.

The table is a CSV file, so that operators can change prices without a release (setting SMS_PRICE_TABLE).
Source: docs/reference/rendering.md §7, price table.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

SHIPPED_TABLE = Path(__file__).with_name("prices.csv")
NORTH_AMERICA = "1"  # the only country code whose area codes have separate prices

_COLUMNS = ["prefix", "multiplier", "numeric_sender"]
_YES_NO = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The price of a dialling prefix.

    multiplier: the number of fragments charged for each fragment sent
    numeric_sender: whether the country accepts only numbers as senders, not names
    """

    multiplier: int
    numeric_sender: bool


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by dialling prefix: digits without the plus."""

    prices: Mapping[str, Price]

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """Return the table that ships with Signalbox."""
        return cls.load(SHIPPED_TABLE)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read a CSV file with the columns prefix, multiplier and numeric_sender (yes or no).

        Raises ValueError with the file and line of the first error, so that a wrong price stops the start.
        """
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            if rows.fieldnames != _COLUMNS:
                raise ValueError(f"{path}: the first line must be {','.join(_COLUMNS)}")
            prices: dict[str, Price] = {}
            for row in rows:
                try:
                    prefix, price = _read(row)
                except (KeyError, TypeError, ValueError, AttributeError) as error:
                    raise ValueError(f"{path}, line {rows.line_num}: not a price") from error
                if prefix in prices:
                    raise ValueError(f"{path}, line {rows.line_num}: {prefix} is listed twice")
                prices[prefix] = price
        return cls(prices)

    def __contains__(self, prefix: str) -> bool:
        """Return whether the prefix has a price."""
        return prefix in self.prices

    def __getitem__(self, prefix: str) -> Price:
        """Return the price of a listed prefix."""
        return self.prices[prefix]

    def prefix_of(self, country_code: str, national_number: str) -> str:
        """Return the prefix that decides the price.

        This is the country code. In North America the area code is appended if the table lists it.

        >>> PriceTable.shipped().prefix_of("1", "2425550143"), PriceTable.shipped().prefix_of("1", "4155550143")
        ('1242', '1')
        """
        if country_code == NORTH_AMERICA and (area := country_code + national_number[:3]) in self:
            return area
        return country_code

    def reaches(self, digits: str) -> bool:
        """Return whether international digits begin with a listed country code of one to three digits."""
        return any(digits[:length] in self for length in (1, 2, 3))


def _read(row: dict[str, str]) -> tuple[str, Price]:
    prefix, multiplier = row["prefix"].strip(), int(row["multiplier"])
    if not (prefix.isascii() and prefix.isdigit() and multiplier > 0):
        raise ValueError(prefix)
    return prefix, Price(multiplier=multiplier, numeric_sender=_YES_NO[row["numeric_sender"].strip().lower()])
