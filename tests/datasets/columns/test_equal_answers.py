"""Column files give the answers of the row store, byte for byte, whatever was written between."""

import json

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from datasets.columns import building
from datasets.models import DataSet, Segment
from datasets.queries import engines, parameters
from tests.datasets.making import BOUNDS, put_in
from tests.datasets.test_answers import CONFIGURATION, NOW, RECORDS, questions, stored_set

pytestmark = pytest.mark.django_db


def built(data_set) -> DataSet:
    building.build(data_set, seconds=60, wait=False)
    return DataSet.objects.get(pk=data_set.pk)


def answer(data_set, query) -> str:
    return json.dumps(engines.grouped(data_set, query, now=NOW, max_rows=100_000))


@CONFIGURATION
@given(RECORDS, RECORDS, questions(), st.integers(0, 3))
def test_groups_and_periods(records, later, question, repeats):
    with transaction.atomic():
        data_set = stored_set([{**record, "_id": f"r{number}"} for number, record in enumerate(records)])
        query = parameters.parse(question, data_set_id=data_set.pk, bounds=BOUNDS)
        data_set = built(data_set)
        for number in range(repeats):  # some replace stored records, at other moments
            put_in(data_set, [{**record, "_id": f"r{number + 2 * index}"} for index, record in enumerate(later)])
            data_set = built(data_set) if number == 1 else DataSet.objects.get(pk=data_set.pk)

        got = answer(data_set, query)

        assert data_set.columns_until is not None
        assert Segment.objects.filter(store_id=data_set.store_id).exists()
        building.drop(data_set)
        assert got == answer(DataSet.objects.get(pk=data_set.pk), query)
        transaction.set_rollback(True)
