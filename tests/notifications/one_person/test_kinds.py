"""Every model with personal data is found, exported and erased as a kind."""

import pytest
from django.apps import apps

from config import personal_columns
from notifications.one_person import erasing
from notifications.one_person.kinds import KINDS
from notifications.one_person.person import Person

pytestmark = pytest.mark.django_db

# Their rows are found through the row of a kind, or hold the data of many people.
PARTS = {
    "notifications.BulkTablePart": "the uploaded table of a draft, which is a kind",
    "notifications.LogExportPart": "a CSV file of the message log, which staff make again",
    "notifications.SandboxHookCall": "a call of a webhook, which the search for mentions deletes",
}


@pytest.mark.parametrize("recipient", ["ann@example.org", "07700 900123"])
def test_every_model_with_columns_of_a_recipient_is_a_kind(recipient: str) -> None:
    person = Person.parse(recipient)
    models = {kind.rows(person).model._meta.label for kind in KINDS}
    own = {label for label, columns in personal_columns.by_label().items() if columns.own or columns.encrypted}

    assert own - models == set(PARTS)


def test_a_kind_exists_for_each_model_that_the_list_names() -> None:
    person = Person.parse("ann@example.org")

    for kind in KINDS:
        model = kind.rows(person).model
        assert model is apps.get_model(model._meta.label)
        assert model._meta.label in personal_columns.by_label()


def test_every_kind_is_erased() -> None:
    steps = {step.name for step in (*erasing.BEFORE_WORKERS, *erasing.AFTER_WORKERS, erasing._SAVED_SEARCHES)}

    assert {kind.name for kind in KINDS} <= steps
