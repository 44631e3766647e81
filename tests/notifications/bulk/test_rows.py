"""Rows of a bulk send are stored in large statements."""

import pytest

from notifications.models import BulkRow, RowState
from notifications.models.bulk_row import ROWS_A_STATEMENT
from tests.factories import make_bulk_send

pytestmark = pytest.mark.django_db

CELLS = ["ana@example.org", ["ä", '"x"'], None]


def test_rows_come_back_as_they_were_stored(django_assert_num_queries):
    bulk_send = make_bulk_send()
    rows = [
        BulkRow(number=2 + place, state=RowState.WAITING, recipient="ana@example.org", cells=CELLS, reference=reference)
        for place, reference in enumerate(["a\u2028b", None] * (ROWS_A_STATEMENT // 2 + 1))
    ]
    rows[1].errors, rows[1].is_counted_international = [{"column": None, "message": "Message is too long"}], True

    with django_assert_num_queries(2):
        BulkRow.objects.store(bulk_send, (row.line for row in rows))

    first, second, *others = bulk_send.rows.order_by("number")
    assert len(others) == ROWS_A_STATEMENT
    assert (first.number, first.state, first.recipient) == (2, RowState.WAITING, "ana@example.org")
    assert (first.cells, first.reference, first.errors, first.not_before) == (CELLS, "a\u2028b", None, None)
    assert (first.is_counted_international, second.is_counted_international) == (False, True)
    assert (second.reference, second.errors) == (None, rows[1].errors)
