"""The health check and the metrics of column files name what is wrong."""

from datetime import timedelta

import pytest
from django.utils import timezone

from datasets.columns import building, files
from datasets.management import column_health
from datasets.models import DataSet, Segment
from datasets.queries import engines, parameters
from datasets.tasks import build_columns
from tests.datasets.making import ALL, BOUNDS, make_data_set, put_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def segment():
    data_set = make_data_set()
    put_in(data_set, [{"_id": f"r{n}", "_timestamp": "2024-01-01T00:00:00Z", "n": n} for n in range(3)])
    building.build(data_set, seconds=60, wait=False)
    return Segment.objects.get()


def test_a_good_file(segment):
    finding = column_health.column_files()
    assert (finding.seen, finding.fix) == ("1 fetched and counted", "")


def test_a_missing_file(segment):
    files.file_store().delete(segment.file)
    finding = column_health.column_files()
    assert finding.seen == "pay/volumes: a file is missing or damaged"
    assert "columns verify --set pay/volumes" in finding.fix


def test_a_file_with_other_records_than_the_database(segment):
    Segment.objects.update(records=4)
    assert column_health.column_files().seen == "pay/volumes: a file has other records than the database"


def test_without_a_folder_for_copies_the_row_store_answers(segment, settings, tmp_path):
    (tmp_path / "file").write_text("in the way")
    settings.COLUMNS_CACHE_DIR = tmp_path / "file" / "cache"
    data_set = DataSet.objects.get()
    query = parameters.parse("group_by=n", data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)

    assert len(engines.grouped(data_set, query, now=timezone.now(), max_rows=10)) == 3
    assert column_health.column_files().seen.endswith("cannot be written")
    Segment.objects.note_change()
    Segment.objects.update(changed_at=timezone.now() - timedelta(hours=1))
    build_columns()
    assert not Segment.objects.get().is_built


def test_switched_off(segment, settings):
    settings.COLUMNS = False
    assert column_health.column_files().seen == "switched off by COLUMNS"


def test_the_age_of_the_oldest_open_segment(segment):
    assert [(one.number, one.oldest_seconds) for one in column_health.backlogs()] == [(0, 0)]

    Segment.objects.note_change()
    Segment.objects.update(opened_at=timezone.now() - timedelta(hours=2))

    (found,) = column_health.backlogs()
    assert found.number == 1
    assert found.oldest_seconds > 7190
