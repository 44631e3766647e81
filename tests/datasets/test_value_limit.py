"""A body with too many values is rejected during parsing. Source: docs/reference/data-sets.md §5, §10."""

import gzip
import tracemalloc

import pytest

from datasets.errors import MAX_VALUES
from datasets.models import Record
from tests.datasets.making import call, make_data_set, make_token
from tests.datasets.test_batch_limits import record_with

pytestmark = pytest.mark.django_db
TOO_MANY_VALUES = {"status": "error", "message": "The body has more than 5000000 values."}
MIB = 2**20


@pytest.mark.parametrize("value", [b"{}", b"[]", b"0", b'"a"', b'"\\",["'])
def test_too_many_values_are_rejected_before_they_are_parsed(value):
    data_set = make_data_set()
    body = record_with(b",".join([value] * (MAX_VALUES + 2)))
    token = make_token(data_set)

    tracemalloc.start()
    answer = call("POST", data_set, token, gzip.compress(body, 1), Content_Encoding="gzip")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (answer.status_code, answer.json()) == (413, TOO_MANY_VALUES)
    assert "#errors-data-too-many-values" in answer.headers["Link"]
    assert peak < 3 * 64 * MIB
    assert not Record.objects.exists()
