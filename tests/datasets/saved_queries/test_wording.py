"""The reasons why a query has no answer, on Welsh pages."""

import pytest
from django.utils import translation

from datasets import errors
from datasets.saved_queries import wording

ERRORS = [
    errors.NoSuchDataSet(),
    errors.NoServiceToRead(),
    errors.Busy(),
    errors.TooManyRows(limit=1000),
    errors.QueryTooLarge(seconds="10"),
    errors.BeingBuilt(seconds=60),
    errors.ConditionTooLong(name="where", limit=2000),
    errors.ConditionTooLarge(name="where", limit=50),
    errors.ZoneRangeTooLong(limit=200),
    errors.CompareTooEarly(),
    errors.FarFuture(),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.slug)
def test_a_query_that_was_valid_when_it_was_saved_fails_in_welsh(error):
    """These are the errors that the ranges, filters and data of later readers can cause."""
    assert wording.reason(error) == (str(error), "")
    with translation.override("cy"):
        text, language = wording.reason(error)

    assert language == ""
    assert text != str(error)
    assert all(str(value) in text for value in error.values.values())
    assert "{" not in text


def test_a_query_that_a_rule_made_invalid_has_no_english_reason_on_a_welsh_page():
    invalid = errors.SavedQueryInvalid(reason="Choose periods.")
    assert wording.reason(invalid) == ("This saved query is not valid any more. Choose periods.", "")
    with translation.override("cy"):
        text, language = wording.reason(invalid)

    assert (language, text[:8]) == ("", "Nid yw’r")
    assert "Choose" not in text


def test_a_reason_without_a_welsh_form_is_marked_as_english():
    with translation.override("cy"):
        assert wording.reason(errors.StartAlone()) == ("start_at needs end_at or duration.", "en")
