"""A save does not overwrite another person's retention. Source: docs/reference/console.md §1.2 T10."""

import re

import pytest
from django.urls import reverse

from datasets.models import DataSet
from tests.datasets.making import make_data_set

START = re.compile(r'name="started_from" value="(\w+)"')


@pytest.fixture
def url(db):
    return reverse("admin:datasets_dataset_retention", args=[make_data_set().pk])


@pytest.mark.fault("T10")
def test_a_save_over_a_newer_one_is_rejected_and_shows_both(console, url):
    opened = START.search(console.get(url).content.decode())[1]
    console.post(url, {"retention_days": "30", "started_from": opened, "step": "save"})

    for step in ("preview", "save"):
        answer = console.post(url, {"retention_days": "7", "started_from": opened, "step": step})

        page = answer.content.decode()
        assert "mina@example.org saved this " in page
        assert "Saved values: Days to keep records “30”" in page
        assert 'value="7"' in page
        assert DataSet.objects.get().retention_days == 30

    again = START.search(page)[1]
    assert console.post(url, {"retention_days": "7", "started_from": again, "step": "save"}).status_code == 302
    assert DataSet.objects.get().retention_days == 7


def test_a_change_before_the_preview_is_a_conflict_after_it(console, url):
    opened = START.search(console.get(url).content.decode())[1]
    preview = console.post(url, {"max_records": "5", "started_from": opened, "step": "preview"}).content.decode()
    DataSet.objects.update(max_records=100)

    answer = console.post(url, {"max_records": "5", "started_from": START.search(preview)[1], "step": "save"})

    assert "Another person saved this" in answer.content.decode()
    assert DataSet.objects.get().max_records == 100
