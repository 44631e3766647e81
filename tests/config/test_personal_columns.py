"""Every column that can hold a recipient is known to the erasure."""

import pytest
from django.apps import apps
from django.db import models

from config import encrypted_columns, personal_columns
from config.personal_columns import TextColumns

CAN_HOLD = (models.CharField, models.TextField, models.JSONField, models.BinaryField, models.FileField)
MODELS = {model._meta.label: model for model in apps.get_models()}


def _needed(model: type[models.Model]) -> set[str]:
    """Return the columns of characters, JSON or bytes, without those of fixed choices."""
    return {
        field.name
        for field in model._meta.concrete_fields
        if isinstance(field, CAN_HOLD) and not getattr(field, "choices", None)
    }


@pytest.mark.parametrize("label", sorted(MODELS))
def test_every_column_that_can_hold_a_recipient_is_classified_once(label: str) -> None:
    columns = personal_columns.by_label().get(label, TextColumns())

    assert sorted(columns.all()) == sorted(_needed(MODELS[label])), f"{label} in personal_columns.py of its area"


def test_no_model_that_is_gone_is_listed() -> None:
    assert set(personal_columns.by_label()) <= set(MODELS)


def test_an_encrypted_column_is_not_searched_as_text() -> None:
    for column in encrypted_columns.all_columns():
        columns = personal_columns.by_label()[column.model._meta.label]
        assert column.column not in (columns.text + columns.reported).split()
