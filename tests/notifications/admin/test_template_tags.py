"""Tags of templates: typed in the editor, shown and filtered in the list."""

import html

import pytest
from django.urls import reverse
from django.utils import timezone

from config.audit.models import AuditEvent
from config.invalid import InvalidValue
from notifications.models import Role, Template
from notifications.validation.tags import parse_tags
from tests import factories
from tests.people import colleague

LIST = "/admin/notifications/template/"
NO_VERSIONS = {"versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


def tagged(service, *tags, **fields):
    template = factories.make_template(service, **fields)
    template.set_tags(tags)
    return template


def save(client, template, **fields):
    values = {"name": template.name, "subject": "Hello", "content": "Dear ((name))", "note": "", "based_on": 1}
    url = reverse("admin:notifications_template_change", args=[template.pk])
    page = client.post(url, {**values, **NO_VERSIONS, "_save": "", **fields}, follow=True)
    return html.unescape(page.content.decode())


def names(template):
    return [tag.name for tag in template.tags.all()]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["x" * 41], "at most 40 characters"),
        ([f"tag {number}" for number in range(11)], "at most 10 tags"),
        (["spri\u200bng"], "cannot be seen"),
        (["a,b"], "comma"),
    ],
)
def test_invalid_tags_are_refused(given, reason):
    with pytest.raises(InvalidValue, match=reason):
        parse_tags(given)


def test_the_editor_changes_the_tags_without_a_new_version(console, service):
    template = tagged(service, "old")

    page = save(console, template, tags="Spring, flood warnings,,spring")

    assert names(template) == ["flood warnings", "spring"]
    assert template.versions.count() == 1
    assert 'value="flood warnings, spring"' in page
    event = AuditEvent.objects.get(verb="changed")
    assert (event.before, event.after) == ({"tags": ["old"]}, {"tags": ["flood warnings", "spring"]})


def test_an_invalid_tag_is_an_error_at_its_field(console, service):
    template = tagged(service, "old")

    assert "Use at most 40 characters for a tag." in save(console, template, tags="x" * 41)
    assert names(template) == ["old"]


def test_a_new_template_has_its_tags(console, service):
    typed = {"service": service.pk, "type": "sms", "name": "Tide", "content": "High tide", "note": "", "tags": "Spring"}
    console.post(f"{LIST}add/", typed)

    assert names(Template.objects.get()) == ["spring"]


def test_the_list_shows_tags_and_filters_by_them(console, service):
    tagged(service, "spring", "boats", name="Arrival")
    tagged(service, "autumn", name="Departure")

    everything = console.get(LIST).content.decode()
    filtered = console.get(LIST, {"tag": "spring"}).content.decode()

    assert '<span class="sb-chip">boats</span> <span class="sb-chip">spring</span>' in everything
    assert "?tag=autumn" in everything
    assert "Arrival" in filtered
    assert "Departure" not in filtered


@pytest.mark.parametrize(
    ("asked", "offered"),
    [
        ({}, {"autumn"}),
        ({"state": "archived"}, {"spring"}),
        ({"state": "all"}, {"spring", "autumn"}),
        ({"tag": "spring"}, {"spring", "autumn"}),
        ({"state": "archived", "tag": "autumn"}, {"spring", "autumn"}),
    ],
)
def test_the_filter_offers_the_tags_of_listed_templates_and_the_chosen_tag(console, service, asked, offered):
    tagged(service, "spring", archived_at=timezone.now())
    tagged(service, "autumn")

    page = console.get(LIST, asked).content.decode()

    assert {tag for tag in ("spring", "autumn") if tag in page} == offered


def test_a_member_sees_the_tags_of_own_services_only(service):
    tagged(service, "spring")
    tagged(factories.make_service(), "secret")

    page = colleague(service, Role.SEE_ACTIVITY).get(LIST).content.decode()

    assert "?tag=spring" in page
    assert "secret" not in page
