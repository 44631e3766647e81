"""A dashboard with the visits of three months, at a fixed time."""

from datetime import UTC, datetime

import pytest
import time_machine

from datasets.dashboards import rendered
from datasets.models import Dashboard, DataSet
from tests.datasets.dashboards.making import make_dashboard
from tests.datasets.making import make_data_set, put_in

NOW = datetime(2024, 4, 10, 12, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def today():
    rendered.forget()
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def visits(db: None) -> DataSet:
    data_set = make_data_set(type="visits")
    rows = [
        ("2024-01-05", "web", 60), ("2024-01-06", "phone", 40),
        ("2024-02-05", "web", 80), ("2024-02-06", "phone", 20),
        ("2024-03-01", "web", 90), ("2024-03-02", "phone", 3),
    ]  # fmt: skip
    put_in(
        data_set,
        [{"_timestamp": f"{day}T10:00:00Z", "channel": name, "count": n, "_id": day} for day, name, n in rows],
    )
    return DataSet.objects.get(pk=data_set.pk)


@pytest.fixture
def dashboard(visits: DataSet) -> Dashboard:
    return make_dashboard(visits)
