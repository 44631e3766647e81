"""Traps of the Django admin without a test of their own page. Source: docs/reference/console.md §1.2."""

from datetime import UTC, datetime

import pytest
from django.apps import apps
from django.conf import settings
from django.db import models

from config.console import cells
from datasets.models import DataSet
from notifications.rendering import preview

RECIPIENT = "jo@example.org"
OURS = [
    model
    for model in apps.get_models()
    if model._meta.app_config.name.partition(".")[0] in {"config", "datasets", "notifications"}
    and model is not DataSet  # its name is its path
]
# Titles that staff choose and everybody may read.
NAMES = {"name", "sender", "group", "type", "provider", "rule", "kind", "key_type", "prefix"}


@pytest.mark.parametrize("model", OURS, ids=[model._meta.label for model in OURS])
@pytest.mark.fault("T3")
def test_no_row_is_named_by_its_content(model):
    """Logs and error pages store `str(row)` permanently (trap T3)."""
    texts = [
        field.name
        for field in model._meta.get_fields()
        if isinstance(field, models.CharField | models.TextField) and field.name not in NAMES
    ]
    moments = [field.name for field in model._meta.get_fields() if isinstance(field, models.DateTimeField)]
    row = model(**dict.fromkeys(texts, RECIPIENT), **dict.fromkeys(moments, datetime(2026, 7, 1, tzinfo=UTC)))

    assert RECIPIENT not in str(row)
    assert type(row).__str__ is not models.Model.__str__


@pytest.mark.fault("T12")
def test_a_time_has_its_zone_and_utc_on_hover():
    cell = cells.moment(datetime(2025, 7, 1, 8, 30, tzinfo=UTC))

    assert cell == (
        '<time class="sb-moment" datetime="2025-07-01T08:30:00+00:00" '
        'title="1 July 2025 at 9:30:00am BST (2025-07-01 08:30:00 UTC)">1 July 2025 at 9:30am</time>'
    )


@pytest.mark.fault("T12")
def test_times_are_stored_in_utc_in_every_time_zone():
    assert settings.USE_TZ
    assert settings.DATABASES["default"].get("TIME_ZONE") is None


@pytest.mark.fault("T9")
def test_the_preview_of_an_email_starts_with_a_strict_policy():
    """Tests of the pages with previews check that its frame is sandboxed."""
    document = preview.sandboxed("<!doctype html><html><head><title>Tides</title></head></html>")

    policy, _, rest = document.partition("<head>")[2].partition(">")
    assert policy.startswith('<meta http-equiv="Content-Security-Policy" content="default-src \'none\'')
    assert "script" not in policy
    assert rest == "<title>Tides</title></head></html>"


@pytest.mark.fault("T13")
def test_no_error_page_prints_form_data():
    assert settings.DEBUG is False
