"""Copying a template, within its service or to another one."""

import html

import pytest
from django.urls import reverse

from config.audit.models import AuditEvent
from notifications.models import Channel, Role, Template
from tests import factories
from tests.people import browser_of, colleague, join, make_person


@pytest.fixture
def source(db):
    return factories.make_service(name="Tides")


@pytest.fixture
def target(db):
    return factories.make_service(name="Harbour")


@pytest.fixture
def template(source):
    row = factories.make_template(
        source,
        name="Welcome",
        content="Dear ((name))",
        respect_quiet_hours=True,
        samples={"name": {"kind": "text", "value": "Ana"}},
    )
    row.set_tags(["spring"])
    row.publish(factories.make_draft(row, "Dear ((name)), bring ((item))"))
    return row


@pytest.fixture
def editor(source, target):
    person = make_person()
    join(person, source, Role.EDIT_TEMPLATES)
    join(person, target, Role.EDIT_TEMPLATES)
    return browser_of(person)


def copy(client, template, service, name="Welcome"):
    url = reverse("admin:notifications_template_copy", args=[template.pk])
    return client.post(url, {"service": service.pk, "name": name}, follow=True)


def text_of(answer):
    return html.unescape(answer.content.decode())


def test_the_copy_has_version_1_with_the_published_text(editor, template, target):
    factories.make_draft(template, "A draft")

    page = text_of(copy(editor, template, target, "Greeting"))

    made = Template.objects.get(service=target)
    version = made.versions.get()
    assert "Copied to Harbour as “Greeting”." in page
    assert (made.name, made.type, made.current_version, made.respect_quiet_hours) == (
        *("Greeting", Channel.EMAIL),
        *(1, True),
    )
    assert (version.number, version.name, version.subject) == (1, "Greeting", "Hello")
    assert version.content == "Dear ((name)), bring ((item))"
    assert version.note == "Copy of “Welcome” of Tides, version 2"
    assert (made.samples, made.tag_names()) == (template.samples, ["spring"])


def test_both_services_have_an_audit_event(editor, template, source, target):
    copy(editor, template, target)

    made = Template.objects.get(service=target)
    copied, created = AuditEvent.objects.get(verb="copied"), AuditEvent.objects.get(verb="created")
    assert (copied.service_id, copied.object_id) == (source.pk, str(template.pk))
    assert copied.after == {"copy": str(made.pk), "service": "Harbour", "version": 2}
    assert (created.service_id, created.object_id) == (target.pk, str(made.pk))
    assert created.reason == "Copy of “Welcome” of Tides, version 2"


def test_a_name_that_is_taken_there_is_refused(editor, template, target):
    factories.make_template(target, name="welcome")

    page = text_of(copy(editor, template, target))

    assert "Harbour already has a template with this name (email). Change the name." in page
    assert Template.objects.filter(service=target).count() == 1


def test_a_name_of_another_type_or_of_an_archived_template_is_free(editor, template, target):
    factories.make_template(target, Channel.SMS, name="Welcome")
    factories.make_template(target, name="Welcome", archived_at="2026-01-01T00:00Z")

    assert "Copied to Harbour" in text_of(copy(editor, template, target))


def test_only_services_in_which_the_person_may_edit_templates_are_offered(editor, template):
    other = factories.make_service(name="Parks")

    page = text_of(editor.get(reverse("admin:notifications_template_copy", args=[template.pk])))
    answer = text_of(copy(editor, template, other))

    assert "Harbour" in page
    assert "Parks" not in page
    assert "Select a valid choice." in answer
    assert not Template.objects.filter(service=other).exists()


def test_a_copy_within_the_service_is_offered_first(template, source):
    client = colleague(source, Role.EDIT_TEMPLATES)

    form = client.get(reverse("admin:notifications_template_copy", args=[template.pk])).context["form"]
    answer = text_of(copy(client, template, source, form["name"].value()))

    assert (form["service"].value(), form["name"].value()) == (source.pk, "Copy of Welcome")
    assert "Copied to Tides as “Copy of Welcome”." in answer
    assert "already has a template with this name" in text_of(copy(client, template, source))


@pytest.mark.parametrize(("is_member", "status"), [(True, 403), (False, 404)])
def test_other_people_cannot_copy(template, source, target, is_member, status):
    client = colleague(source, Role.SEE_ACTIVITY) if is_member else colleague(target, Role.EDIT_TEMPLATES)

    assert copy(client, template, target).status_code == status
    assert not Template.objects.filter(service=target).exists()
