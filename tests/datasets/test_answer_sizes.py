"""An error does not grow with the request that it refuses. Source: docs/reference/data-sets.md §10."""

import json
from typing import Any

import pytest

from tests.datasets.making import call, make_data_set, make_token

pytestmark = pytest.mark.django_db

LONG = "x" * 300_000
MOMENT = "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    "body",
    [
        [{"_timestamp": MOMENT, LONG: 1}],
        [{"_timestamp": MOMENT, f"_{LONG}": 1}],
        [{"_timestamp": LONG}],
        [{"_timestamp": MOMENT, "_id": [LONG]}],
        [{"_timestamp": MOMENT, **{f"_{number}": 1 for number in range(20_000)}}],
        [LONG] * 50,
        LONG,
        {LONG: LONG},
    ],
    ids=range(8),
)
def test_an_error_is_short_however_long_the_request(body: Any) -> None:
    data_set = make_data_set()

    answer = call("POST", data_set, make_token(data_set), json.dumps(body).encode())

    assert answer.status_code in {400, 413, 422}
    assert len(answer.content) < 64_000
