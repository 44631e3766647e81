"""Server-side cursors are read inside a transaction, because a pooler would lose them."""

import re

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from config.databases.streaming import streamed
from tests.config.test_house import product_files
from tests.servers import ROOT

CURSOR = re.compile(r"\.iterator\(|chunked_cursor\(")
KNOWN = {
    "config/databases/streaming.py": "opens the transaction",
    "datasets/queries/counting.py": "inside `streaming`",
    "datasets/queries/sorting.py": "inside `streaming`",
    "datasets/queries/stored.py": "on SQLite only",
}


@pytest.mark.django_db(transaction=True)
def test_a_transaction_is_open_until_the_last_row_and_ends_with_it():
    rows = streamed(ContentType.objects.order_by("pk"), chunk_size=2)

    first = next(rows)
    is_open = connection.in_atomic_block
    rows.close()

    assert first == ContentType.objects.order_by("pk").first()
    assert is_open == (connection.vendor == "postgresql")  # on SQLite it would hold up all writers
    assert not connection.in_atomic_block


def test_no_other_code_opens_a_server_side_cursor():
    found = {str(path.relative_to(ROOT)) for path in product_files() if CURSOR.search(path.read_text())}

    assert found == set(KNOWN)
