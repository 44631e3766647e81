"""The console and `provision` give a schema to a data set, by the rules of the API."""

import json

import pytest
from django.urls import reverse

from config.areas import DocumentErrors
from datasets.management import provision
from datasets.models import DataSet, FieldDrift
from datasets.store import fields_seen, schemas
from tests.datasets.making import make_data_set, put_in
from tests.people import browser_of, make_person

pytestmark = pytest.mark.django_db
MOMENT = "2024-01-01T00:00:00Z"


@pytest.fixture
def data_set():
    return make_data_set()


def page(data_set) -> str:
    return reverse("admin:datasets_dataset_schema", args=[data_set.pk])


def test_a_schema_is_given_and_shown_again(data_set, admin_client):
    text = json.dumps({"type": "object", "required": ["count"]})

    assert admin_client.post(page(data_set), {"mode": "enforce", "text": text}).status_code == 302

    found = DataSet.objects.get()
    fit = schemas.fit_of(found)
    assert fit is not None
    assert not fit({"_timestamp": MOMENT})
    shown = admin_client.get(page(data_set))
    assert json.loads(shown.context["form"]["text"].value()) == json.loads(text)
    assert shown.context["form"]["mode"].value() == "enforce"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", "Enter valid JSON."),
        ("[]", "Enter a JSON object with a schema."),
        ('{"type": "nonsense"}', "This is not a valid schema"),
        ("", "Give a schema first."),
    ],
)
def test_what_is_wrong_is_named(data_set, admin_client, text, error):
    answer = admin_client.post(page(data_set), {"mode": "warn", "text": text}).content.decode()

    assert error in answer
    assert DataSet.objects.get().schema_mode == "off"


def test_an_empty_text_means_the_learned_schema(data_set, admin_client):
    put_in(data_set, [{"_timestamp": MOMENT, "n": number} for number in range(3)])
    assert "The learned schema as JSON" in admin_client.get(page(data_set)).content.decode()

    admin_client.post(page(data_set), {"mode": "enforce", "text": ""})

    assert schemas.current(data_set).current["properties"]["n"] == {"type": "integer", "minimum": 0, "maximum": 2}
    admin_client.post(page(data_set), {"mode": "off", "text": ""})
    assert schemas.current(data_set).given == ""


def test_differences_are_listed_by_day_and_field(data_set, admin_client):
    put_in(data_set, [{"_timestamp": MOMENT, "n": 1}])
    fields_seen.note(DataSet.objects.get())
    put_in(data_set, [{"_timestamp": MOMENT, "n": "<b>", "<i>": 1}])

    text = admin_client.get(page(data_set)).content.decode()

    assert "Type changed" in text
    assert "<code>&lt;i&gt;</code>" in text
    assert FieldDrift.objects.count() == 2


def test_only_owners_and_managers_may(data_set):
    assert browser_of(make_person()).get(page(data_set)).status_code == 403


def apply(**more) -> list[str]:
    errors = DocumentErrors()
    provision.apply([{"group": "pay", "type": "volumes", **more}], errors)
    return errors.lines


def test_provision_gives_a_schema_and_a_mode(data_set):
    schema = {"type": "object", "required": ["n"]}

    assert apply(schema=schema, schema_mode="warn") == []
    assert apply(schema_mode="enforce") == []
    assert (schemas.current(data_set).current, DataSet.objects.get().schema_mode) == (schema, "enforce")
    assert apply(public=True) == []
    assert DataSet.objects.get().schema_mode == "enforce"
    assert apply(schema=None, schema_mode=None) == []
    assert (schemas.current(data_set).given, DataSet.objects.get().schema_mode) == ("", "off")


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"schema": []}, "data_sets[0].schema: must be an object"),
        ({"schema": {"type": 5}}, "data_sets[0].schema: This is not a valid schema"),
        ({"schema_mode": "on"}, "data_sets[0].schema_mode: must be one of"),
        ({"schema_mode": "warn"}, "data_sets[0].schema_mode: The data set has no records"),
    ],
)
def test_provision_names_what_is_wrong(data_set, more, line):
    [found] = apply(**more)

    assert found.startswith(line)
