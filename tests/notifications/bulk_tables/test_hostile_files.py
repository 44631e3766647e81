"""Each hostile file works or has an error that says what to do, within the limits of a request."""

import contextlib

import pytest

from config.workbooks.sheets import MAX_PLACES, MAX_ROWS
from notifications.bulk_tables import files
from notifications.bulk_tables.tables import UnreadableTable
from tests.notifications.bulk_tables import hostile

FILES = {
    f"{kind}: {name}": make
    for kind, all_of_kind in (("xlsx", hostile.EXCEL), ("ods", hostile.OPEN_DOCUMENT), ("csv", hostile.TEXT))
    for name, make in all_of_kind.items()
}


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_works_or_has_an_error(name: str) -> None:
    """Errors of another kind, and a child that takes more than it may, would fail here."""
    data = FILES[name]()
    with contextlib.suppress(UnreadableTable):
        table = files.read([data], limits=files.IN_A_REQUEST).table
        assert len(table.names) <= MAX_PLACES
        assert sum(1 for _ in table.rows) <= MAX_ROWS
