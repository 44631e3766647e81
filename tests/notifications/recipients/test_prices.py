"""The price table. Source: docs/reference/rendering.md §7."""

from pathlib import Path

import pytest

from notifications.recipients import phone
from notifications.recipients.prices import PriceTable

HEAD = "prefix,multiplier,numeric_sender\n"


def table(path: Path, rows: str) -> PriceTable:
    path.write_text(rows, encoding="utf-8")
    return PriceTable.load(path)


def test_the_shipped_table_has_the_prefixes_of_the_contract() -> None:
    assert len(PriceTable.shipped().prices) == 223


def test_an_operators_table_sets_the_reachable_countries(tmp_path: Path) -> None:
    prices = table(tmp_path / "prices.csv", HEAD + "44,1,no\n33,20,yes\n")

    french = phone.parse("+33 6 98 76 54 32", international=True, landlines=False, prices=prices)
    with pytest.raises(phone.InvalidPhoneNumber) as refusal:
        phone.parse("+353 87 246 8013", international=True, landlines=False, prices=prices)

    assert (french.rate_multiplier, french.numeric_sender) == (20, True)
    assert refusal.value.outcome is phone.PhoneRejection.UNSUPPORTED_COUNTRY_CODE


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ("prefix,price\n44,1\n", "first line must be"),
        ("", "first line must be"),
        (HEAD + "44,free,no\n", "line 2: not a price"),
        (HEAD + "44,1,no\n+33,2,no\n", "line 3: not a price"),
        (HEAD + "44,0,no\n", "line 2: not a price"),
        (HEAD + "44,1,maybe\n", "line 2: not a price"),
        (HEAD + "44,1\n", "line 2: not a price"),
        (HEAD + "44,1,no\n44,2,no\n", "line 3: 44 is listed twice"),
    ],
)
def test_a_faulty_table_names_its_line(tmp_path: Path, rows: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        table(tmp_path / "prices.csv", rows)
