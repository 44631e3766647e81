"""`provision` declares saved queries by name, and the same document again changes nothing."""

import pytest

from config.areas import DocumentErrors
from config.audit.models import AuditEvent
from datasets.management import provision
from datasets.models import SavedQuery

pytestmark = pytest.mark.django_db

QUESTION = {"measure": {"field": "count"}, "period": "month"}
QUERY = {"name": "Visits", "question": QUESTION, "chart": "bar", "unit": "%", "decimals": 1, "public": True}


def applied(*queries):
    errors = DocumentErrors()
    document = [{"group": "pay", "type": "visits", "saved_queries": list(queries)}]
    return provision.apply(document, errors), errors.lines


def test_a_saved_query_is_made_and_changed():
    completed, errors = applied(QUERY)
    query = SavedQuery.objects.get()
    assert (errors, completed[0]["saved_queries"][0]["id"]) == ([], query.public_id)
    assert (query.chart, query.unit, query.decimals, query.is_public, query.revision) == ("bar", "%", 1, True, 1)

    applied(QUERY)
    applied({"name": "Visits", "chart": "line"})

    query.refresh_from_db()
    assert (query.chart, query.unit, query.revision) == ("line", "%", 2)
    assert AuditEvent.objects.filter(object_kind="savedquery").count() == 2


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ({"question": QUESTION}, "data_sets[0].saved_queries[0].name: is required"),
        ({"name": "V"}, "data_sets[0].saved_queries[0].question: is required"),
        ({"name": "V", "question": 5}, "data_sets[0].saved_queries[0].question: question must be an object."),
        (
            {"name": "V", "question": {"where": "a ="}},
            "data_sets[0].saved_queries[0].question: where, character 4: expected a value, found the end.",
        ),
        (
            {"name": "V", "question": {}, "chart": "pie"},
            "data_sets[0].saved_queries[0].chart: must be one of number, line, bar, stacked_bar, table",
        ),
        ({"name": "V", "question": {}, "colour": "red"}, "data_sets[0].saved_queries[0].colour: is not a known key"),
        ({"name": " ", "question": {}}, "data_sets[0].saved_queries[0].name: must not be blank"),
        (
            {"name": "V" * 121, "question": {}},
            "data_sets[0].saved_queries[0].name: must have at most 120 characters",
        ),
        (
            {"name": "V", "question": {"measure": None}},
            "data_sets[0].saved_queries[0].question: measure must be an object.",
        ),
        ({"name": "V", "question": {}, "decimals": 9}, "data_sets[0].saved_queries[0].decimals: must be 0 to 6"),
    ],
)
def test_a_wrong_query_is_refused(query, error):
    assert applied(query)[1] == [error]
    assert not SavedQuery.objects.exists()


def test_a_data_set_has_at_most_100_saved_queries():
    *_, last = applied(*({"name": f"Visits {number}", "question": {}} for number in range(101)))[1]

    assert last == (
        "data_sets[0].saved_queries[100].name: pay/visits has 100 saved queries. Delete one that nobody needs first."
    )


def test_a_name_is_declared_once():
    assert applied(QUERY, QUERY)[1] == ["data_sets[0].saved_queries[0].name: is declared twice"]


def test_a_query_is_bound_to_a_data_set_that_the_document_makes_later():
    ratio = {"name": "Cost", "question": {"divided_by": {"data_set": "pay/costs"}}}
    errors = DocumentErrors()
    document = [
        {"group": "pay", "type": "visits", "saved_queries": [ratio]},
        {"group": "pay", "type": "costs"},
    ]

    provision.apply(document, errors)
    assert (errors.lines, [str(one) for one in SavedQuery.objects.get().other_sets.all()]) == ([], ["pay/costs"])

    _, lines = applied({"name": "No costs", "question": {"divided_by": {"data_set": "pay/none"}}})
    assert "pay/none does not exist" in lines[0]
