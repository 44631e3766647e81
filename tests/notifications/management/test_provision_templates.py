"""Tags, default values and languages of templates in a provision document. Source: docs/provision.md."""

from typing import Any

import pytest

from config.audit.models import AuditEvent
from notifications.models import Template
from tests import factories
from tests.notifications.management.test_provision import apply, apply_one, errors_of, everything_stored, template

pytestmark = pytest.mark.django_db

WELSH = {"language": "cy", "subject": "Shwmae", "content": "Annwyl ((enw))"}
WHOLE = {
    "content": "Dear ((name))",
    "tags": ["Spring", "boats", "spring"],
    "defaults": {"name": "visitor"},
    "language": "en-GB",
    "translations": [WELSH],
}


def stored() -> dict[str, Any]:
    found = Template.objects.get()
    version = found.published()
    words = {name: getattr(version, name) for name in ("content", "defaults", "language", "translations")}
    return {**words, "tags": found.tag_names(), "version": version.number}


def test_a_template_has_its_tags_defaults_and_languages_and_a_second_run_changes_nothing():
    apply_one(templates=[template(**WHOLE)])
    before, events = everything_stored(), AuditEvent.objects.count()

    apply_one(templates=[template(**WHOLE)])

    assert stored() == {**WHOLE, "tags": ["boats", "spring"], "version": 1}
    assert (everything_stored(), AuditEvent.objects.count()) == (before, events)


def test_omitted_keys_leave_their_values():
    apply_one(templates=[template(**WHOLE)])

    apply_one(templates=[template(content="Dear ((name)),")])

    assert stored() == {**WHOLE, "content": "Dear ((name)),", "tags": ["boats", "spring"], "version": 2}


def test_empty_values_remove_them():
    apply_one(templates=[template(**WHOLE)])

    apply_one(templates=[{"name": "Letter", "type": "email", "tags": [], "defaults": {}, "translations": []}])

    assert stored() == {**WHOLE, "tags": [], "defaults": {}, "translations": [], "version": 2}


def test_without_the_keys_a_new_template_has_none():
    apply_one(templates=[template()])

    assert {name: stored()[name] for name in ("tags", "defaults", "language", "translations")} == {
        "tags": [],
        "defaults": {},
        "language": "en",
        "translations": [],
    }


def test_tags_change_without_a_new_version():
    apply_one(templates=[template(tags=["a", "b"])])

    apply_one(templates=[template(tags=["b", "c"])])

    assert (stored()["tags"], stored()["version"]) == (["b", "c"], 1)


def test_changes_have_events_with_the_values_before_and_after():
    apply_one(templates=[template(**WHOLE)])
    known = list(AuditEvent.objects.values_list("pk", flat=True))

    apply_one(templates=[template(**{**WHOLE, "tags": ["autumn"], "defaults": {"name": "guest"}})])

    found = {event.verb: (event.before, event.after) for event in AuditEvent.objects.exclude(pk__in=known)}
    assert found == {
        "published": ({"defaults": {"name": "visitor"}}, {"defaults": {"name": "guest"}}),
        "changed": ({"tags": ["boats", "spring"]}, {"tags": ["autumn"]}),
    }


@pytest.mark.parametrize(
    ("fields", "key", "error"),
    [
        ({"tags": "spring"}, "tags", 'must be such as ["spring"]'),
        ({"tags": None}, "tags", 'must be such as ["spring"]'),
        ({"tags": [7]}, "tags", 'must be such as ["spring"]'),
        ({"tags": ["a,b"]}, "tags", "Remove the comma from the tag “a,b”."),
        ({"defaults": ["name"]}, "defaults", 'must be such as {"name": "text"}'),
        ({"defaults": {"name": 7}}, "defaults", 'must be such as {"name": "text"}'),
        ({"defaults": {"name": "\0"}}, "defaults", 'must be such as {"name": "text"}'),
        ({"defaults": {"nme": "x"}}, "defaults", "The text has no placeholder ((nme)), so remove its default value."),
        ({"language": 7}, "language", "must be a string"),
        ({"language": "EN"}, "translations", "Enter the language code “EN” as “en”."),
        ({"translations": [{**WELSH, "subject": ""}]}, "translations", "cy: Enter a subject."),
        ({"translations": [{**WELSH, "content": " "}]}, "translations", "cy: Enter the message."),
        ({"translations": [WELSH, WELSH]}, "translations", "The language cy occurs twice. Remove one of the texts."),
        (
            {"translations": [{"language": "cy"}]},
            "translations",
            'must be such as [{"language": "cy", "subject": "text, or null in text messages", "content": "text"}]',
        ),
    ],
)
def test_wrong_values_have_the_errors_of_the_editor(fields, key, error):
    document = {"name": "Parks", "templates": [template(**{"content": "Dear ((name))", **fields})]}

    assert errors_of(document) == [f"services[0].templates[0].{key}: {error}"]


def test_a_text_without_a_placeholder_that_has_a_default_is_refused():
    apply_one(templates=[template(**WHOLE)])

    found = errors_of({"name": "Parks", "templates": [template(content="Dear all", translations=[])]})

    assert found == [
        "services[0].templates[0].defaults: The text has no placeholder ((name)), so remove its default value."
    ]


def test_a_template_of_another_service_keeps_its_values():
    theirs = factories.make_template(factories.make_service(name="Tides"))
    theirs.set_tags(["theirs"])

    found = errors_of({"name": "Parks", "templates": [{"id": str(theirs.pk), "tags": ["ours"]}]})

    assert found == ["services[0].templates[0].id: belongs to another service"]
    assert theirs.tag_names() == ["theirs"]


def test_the_tags_of_many_templates_cost_few_queries(django_assert_max_num_queries):
    apply_one(templates=[template(name=f"Letter {number}", tags=["a"]) for number in range(50)])

    with django_assert_max_num_queries(60):
        apply({"name": "Parks", "templates": [template(name=f"Letter {n}", tags=["b"]) for n in range(50)]})
