"""Two people edit one row: the second save is rejected and shows both versions.
Source: docs/reference/console.md §1.2 T10.
"""

import re

import pytest
from django.forms import modelform_factory
from django.urls import reverse

from config.console.started_from import StartedFrom
from datasets.models import DataGroup, DataSet
from tests import factories
from tests.datasets import making


@pytest.fixture
def entry(db):
    return factories.make_guest(factories.make_service())


def address_of(row):
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def opened(console, row):
    """Return the hash in the page of a row."""
    found = re.search(r'name="started_from" value="(\w+)"', console.get(address_of(row)).content.decode())
    return found.group(1)


@pytest.mark.fault("T10")
def test_a_save_over_a_newer_one_is_rejected_and_shows_both(console):
    group = DataGroup.objects.create(name="tides", description="before")
    start = opened(console, group)
    console.post(address_of(group), {"name": "tides", "description": "hers", "started_from": start})

    answer = console.post(address_of(group), {"name": "tides", "description": "mine", "started_from": start})

    page = answer.content.decode()
    assert answer.status_code == 200
    assert "mina@example.org saved this " in page
    assert "Saved values: Description “hers”." in page
    assert "mine</textarea>" in page
    group.refresh_from_db()
    assert group.description == "hers"


def test_a_second_save_after_seeing_both_succeeds(console):
    group = DataGroup.objects.create(name="tides", description="before")
    start = opened(console, group)
    DataGroup.objects.filter(pk=group.pk).update(description="theirs")
    refused = console.post(address_of(group), {"name": "tides", "description": "mine", "started_from": start})
    now = re.search(r'name="started_from" value="(\w+)"', refused.content.decode()).group(1)

    console.post(address_of(group), {"name": "tides", "description": "mine", "started_from": now})

    group.refresh_from_db()
    assert "Another person saved this while you edited it." in refused.content.decode()
    assert group.description == "mine"


def test_an_invalid_form_keeps_its_hash(console):
    group = DataGroup.objects.create(name="tides", description="before")
    start = opened(console, group)

    refused = console.post(address_of(group), {"name": "No!", "description": "x", "started_from": start})

    page = refused.content.decode()
    assert "while you edited it" not in page
    assert f'name="started_from" value="{start}"' in page


def test_other_fields_of_the_row_may_change_meanwhile(console):
    data_set = making.make_data_set()
    start = opened(console, data_set)
    type(data_set).objects.filter(pk=data_set.pk).update(record_count=5, revision=9)

    console.post(
        address_of(data_set), {"expected_every_seconds_0": "60", "expected_every_seconds_1": "1", "started_from": start}
    )

    data_set.refresh_from_db()
    assert data_set.expected_every_seconds == 60


def test_a_change_of_owners_is_a_conflict_too(console, operator):
    data_set = making.make_data_set()
    start = opened(console, data_set)
    data_set.owners.add(operator)

    refused = console.post(
        address_of(data_set), {"expected_every_seconds_0": "60", "expected_every_seconds_1": "1", "started_from": start}
    )

    assert "Owners “mina”" in refused.content.decode()


@pytest.mark.parametrize("start", ["", "0", "é", "f" * 64])
def test_an_unknown_hash_is_a_conflict(console, start):
    group = DataGroup.objects.create(name="tides", description="before")

    answer = console.post(address_of(group), {"name": "tides", "description": "mine", "started_from": start})

    assert "while you edited it" in answer.content.decode()


def test_a_save_keeps_what_has_changed_in_other_columns_since_the_row_was_read(db):
    data_set = making.make_data_set()
    form = modelform_factory(DataSet, StartedFrom, fields=["description"])({"description": "mine"}, instance=data_set)
    making.put_in(data_set, making.some_records(3))

    assert form.is_valid()
    form.save()

    stored = DataSet.objects.get()
    assert (stored.description, stored.record_count, stored.revision) == ("mine", 3, 1)


def test_columns_that_the_cleaning_sets_are_saved(db):
    class Form(StartedFrom):
        class Meta:
            model = DataGroup
            fields = ("name",)

        def clean_name(self):
            self.instance.description = f"of {self.cleaned_data['name']}"
            return self.cleaned_data["name"]

    group = DataGroup.objects.create(name="tides", description="before")
    form = Form({"name": "waves"}, instance=group)

    form.is_valid()
    form.save()

    assert DataGroup.objects.get().description == "of waves"
