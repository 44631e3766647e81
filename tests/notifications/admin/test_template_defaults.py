"""Default values of placeholders in the editor."""

import html

import pytest
from django.urls import reverse

from notifications.models import Role
from notifications.submission import ttl_cache
from notifications.submission.templates import use_counts
from tests import factories
from tests.notifications.calling import make_caller
from tests.people import colleague

NO_VERSIONS = {"versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}
NEW = "Dear ((name)), bring ((item))"


@pytest.fixture
def caller(db):
    return make_caller(name="Tides")


@pytest.fixture
def template(caller):
    return factories.make_template(caller.service, content="Dear ((name))", subject="Hello", name="Welcome")


def page_of(template, page="change"):
    return reverse(f"admin:notifications_template_{page}", args=[template.pk])


def save(client, template, *, button="_save", content=NEW, **fields):
    values = {"name": "Welcome", "subject": "Hello", "content": content, "note": ""}
    values |= {"based_on": template.last_number(), **NO_VERSIONS, button: ""}
    ttl_cache.clear()
    return html.unescape(client.post(page_of(template), {**values, **fields}, follow=True).content.decode())


def send(caller, template, **values):
    ttl_cache.clear()
    status = caller.send_email(template, personalisation=values).status_code
    use_counts.store_pending()
    return status


def with_default(**values):
    ticks = {f"optional-{name}": "on" for name in values}
    return ticks | {f"default-{name}": text for name, text in values.items()}


def test_the_editor_stores_and_shows_the_default(console, template):
    page = save(console, template, **with_default(item="a rope", gone="x"), **{"default-name": "unticked"})

    assert template.versions.get(number=2).defaults == {"item": "a rope"}
    assert 'name="optional-item" checked' in page
    assert 'name="optional-name" checked' not in page
    assert "a rope</textarea>" in page


def test_only_a_changed_default_makes_a_version(console, template):
    save(console, template, **with_default(item="a rope"))
    same = save(console, template, **with_default(item="a rope"))
    save(console, template, button="_save_draft", **with_default(item=""))

    assert "The text has not changed." in same
    assert [version.defaults for version in template.versions.order_by("number")] == [
        {},
        {"item": "a rope"},
        {"item": ""},
    ]


def test_a_default_that_is_too_long_is_refused(console, template):
    field = "id_default-new%20item"
    page = save(console, template, content="Bring ((new item))", **with_default(**{"new item": "x" * 5001}))

    assert f'<a href="#{field}">Default value for new item</a>: Use at most 5000 characters' in page
    assert f'aria-invalid="true" aria-describedby="{field}_error"' in page
    assert f'<p class="sb-error" id="{field}_error">Use at most 5000 characters' in page


def test_a_new_placeholder_with_a_default_breaks_no_call(console, caller, template):
    assert send(caller, template, name="Ana") == 201

    page = save(console, template, **with_default(item="a rope"))

    assert "Saved as version 2." in page
    assert send(caller, template, name="Ana") == 201


def test_removing_a_default_breaks_the_calls_that_used_it(console, caller, template):
    save(console, template, **with_default(item="a rope"))
    assert send(caller, template, name="Ana") == 201

    page = save(console, template)

    assert "Missing personalisation: item" in page
    template.refresh_from_db()
    assert template.current_version == 2


def test_the_preview_uses_the_default_without_an_example(console, template):
    form = {"template": template.pk, "content": NEW, "subject": "Hello", **with_default(item="a rope")}
    page = console.post(reverse("admin:notifications_template_preview"), form).content.decode()

    assert "a rope" in page.split('data-part="preview"')[1]


def test_two_versions_are_compared_with_their_defaults(template, caller):
    words = {**template.published().words(), "content": NEW, "defaults": {"item": "a rope"}}
    template.save_draft(words, note="", author="")
    client = colleague(caller.service, Role.SEE_ACTIVITY)

    page = client.get(page_of(template, "compare")).content.decode()

    assert "Default values" in page
    assert "((item))" in page


def test_a_message_by_hand_needs_no_value(console, caller, template):
    save(console, template, **with_default(item="a rope"))
    url = f"{reverse('admin:notifications_notification_send')}?template={template.pk}"

    page = html.unescape(console.get(url).content.decode())

    assert "Leave this empty to send “a rope”, the default value." in page
