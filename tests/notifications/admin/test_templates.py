"""The template editor: each change is a new version, and the preview equals the sent message."""

import pytest
from django.urls import reverse

from config.audit.models import AuditEvent
from notifications.models import Channel, Template
from tests import factories

ADD = "/admin/notifications/template/add/"
PREVIEW = "/admin/notifications/template/preview/"
NO_VERSIONS = {"versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service):
    return factories.make_template(service, content="Dear ((name))", subject="Hello", name="Welcome")


def save(console, template, **fields):
    values = {
        "name": "Welcome",
        "subject": "Hello",
        "content": "Dear ((name))",
        "note": "",
        "based_on": 1,
        **NO_VERSIONS,
    }
    return console.post(reverse("admin:notifications_template_change", args=[template.pk]), {**values, **fields})


def add(console, service, **fields):
    values = {"service": str(service.pk), "type": "email", "name": "Welcome", "subject": "Hello", "content": "Dear you"}
    return console.post(ADD, {**values, "note": "", "based_on": "", **fields})


def test_a_new_template_has_its_first_version_exactly_as_typed(console, service):
    add(console, service, content="  Dear ((name))\r\n\r\nBye  ", subject=" Hello ", note="first")

    version = Template.objects.get().versions.get()
    assert (version.number, version.name, version.subject, version.note) == (1, "Welcome", " Hello ", "first")
    assert version.content == "  Dear ((name))\n\nBye  "
    assert version.created_by == "mina@example.org"


def test_a_text_message_has_no_subject(console, service):
    add(console, service, type="sms", subject="ignored", unsubscribe_link="on")

    version = Template.objects.get().versions.get()
    assert (version.subject, version.unsubscribe_link) == (None, False)


@pytest.mark.parametrize(
    "change", [{"content": "Dear all"}, {"subject": "Hi"}, {"name": "Greeting"}, {"unsubscribe_link": "on"}]
)
def test_a_change_is_the_next_version(console, template, change):
    save(console, template, **change)

    template.refresh_from_db()
    assert template.current_version == 2
    assert template.versions.get(number=1).content == "Dear ((name))"
    assert template.updated_at is not None
    assert AuditEvent.objects.get().verb == "published"


def test_the_audit_lists_only_changes(console, template):
    save(console, template, content="Dear ((name)), berth ((berth))", unsubscribe_link="on", note="for boats")

    event = AuditEvent.objects.get()
    assert event.before == {"version": 1, "content": "Dear ((name))", "unsubscribe_link": False}
    assert event.after == {"version": 2, "content": "Dear ((name)), berth ((berth))", "unsubscribe_link": True}
    told = "mina@example.org published a new version of the template “Welcome”: for boats"
    assert told in console.get("/admin/operations/audit/").content.decode()


def test_a_new_version_is_audited(console, template):
    values = {"name": "Welcome", "subject": "Hi", "content": "Dear ((name))", "note": "", "based_on": 1, **NO_VERSIONS}
    change = reverse("admin:notifications_template_change", args=[template.pk])

    page = console.post(change, values, follow=True).content.decode()

    assert "Saved as version 2. Messages sent from now on use it." in page
    assert "was changed successfully" not in page


def test_a_save_without_changes_creates_no_version(console, template):
    save(console, template, note="nothing to say")

    template.refresh_from_db()
    assert (template.current_version, template.versions.count(), template.updated_at) == (1, 1, None)


def test_line_ends_of_a_browser_are_not_a_change(console, service):
    template = factories.make_template(service, content="one\ntwo", subject="Hello", name="Welcome")

    save(console, template, content="one\r\ntwo")

    assert template.versions.count() == 1


def test_a_newer_version_is_not_overwritten(console, template):
    save(console, template, content="Dear Ana")

    answer = save(console, template, content="Dear Bo", based_on=1)

    page = answer.content.decode()
    assert "saved version 2 while you edited version 1" in page
    assert "Dear Bo" in page
    assert "mina@example.org saved version 2 while you edited version 1" in page
    assert '<pre class="nf-version" tabindex="0">Dear Ana</pre>' in page
    assert '<pre class="nf-version" tabindex="0">Dear Bo</pre>' in page
    assert 'name="based_on" value="2"' in page  # both versions were shown
    assert template.versions.count() == 2


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"name": "  "}, "This field is required."),
        ({"content": " \n "}, "Enter the message."),
        ({"subject": " "}, "Enter a subject."),
        ({"subject": "one\rtwo"}, "Enter the subject on one line"),
        ({"type": "sms", "content": "½ price 🛶"}, "A text message cannot contain ½, 🛶"),
        ({"type": "sms", "content": "x" * 919}, "The message is 1 character over the limit of 918."),
        ({"content": "é" * 1_000_001}, "The message is over 2,000,000 bytes."),
        ({"content": "a\x00b"}, "Null characters are not allowed."),
    ],
)
def test_an_invalid_template_is_rejected(console, service, fields, reason):
    answer = add(console, service, **fields)

    assert reason in answer.content.decode()
    assert not Template.objects.exists()


def test_versions_are_not_changed_by_the_page_that_shows_them(console, template):
    forged = {
        "versions-TOTAL_FORMS": 1,
        "versions-INITIAL_FORMS": 1,
        "versions-0-id": template.versions.get().pk,
        "versions-0-content": "forged",
    }
    save(console, template, **forged)

    assert template.versions.get().content == "Dear ((name))"


def test_the_preview_is_the_email_as_it_is_sent(console, template):
    typed = {"template": template.pk, "subject": "For ((name))", "content": "# Hi\n\n((name)) <b>", "sample-name": "Jo"}

    page = console.post(PREVIEW, typed, headers={"X-Requested-With": "fetch"}).content.decode()

    assert "For Jo" in page
    assert '<iframe class="nf-email" sandbox srcdoc=' in page
    assert "default-src &#x27;none&#x27;" in page
    assert "Jo &amp;lt;b&amp;gt;" in page  # escaped by the email renderer, and again as an attribute
    assert "tides@signalbox.invalid" in page
    assert template.versions.count() == 1


def test_an_email_that_is_too_large_to_show_is_an_error_beside_the_form(console, template):
    content = "- a\n" * 475_000
    typed = {"template": template.pk, "subject": "For ((name))", "content": content, "sample-name": "Jo"}

    page = console.post(PREVIEW, typed, headers={"X-Requested-With": "fetch"}).content.decode()

    assert "The email is too large for a preview. It needs more than 300 MiB of memory" in page
    assert "srcdoc=" not in page


def test_a_large_email_is_shown(console, template):
    typed = {"template": template.pk, "subject": "S", "content": "Dear ((name))\n" + "word " * 30_000}

    page = console.post(PREVIEW, typed, headers={"X-Requested-With": "fetch"}).content.decode()

    assert "srcdoc=" in page


def test_the_preview_of_a_text_counts_its_parts(console, service):
    typed = {"service": service.pk, "type": "sms", "content": "Tide at ((hour)) ŵ", "sample-hour": "9"}

    page = console.post(PREVIEW, typed, headers={"X-Requested-With": "fetch"}).content.decode()

    assert "Tide at 9 ŵ" in page
    assert "1 part · large alphabet · 11 of 70 characters" in page
    assert "ŵ: only the large alphabet has this" in page


@pytest.mark.parametrize(
    "typed",
    [{}, {"type": "fax"}, {"template": "no-uuid"}, {"service": "no-uuid", "content": "x"}, {"content": "((a,b)) (("}],
)
def test_the_preview_shows_invalid_input_as_text(console, typed, db):
    answer = console.post(PREVIEW, typed, headers={"X-Requested-With": "fetch"})

    assert answer.status_code == 200


def test_without_scripts_the_preview_is_a_page(console, template):
    page = console.post(PREVIEW, {"template": template.pk, "subject": "S", "content": "Hi"}).content.decode()

    assert 'id="menu"' in page
    assert "srcdoc=" in page


def test_an_archived_template_leaves_the_list_until_it_is_restored(console, template):
    listed = reverse("admin:notifications_template_changelist")

    console.post(reverse("admin:notifications_template_archive", args=[template.pk]), {"seen": "on"})
    assert str(template.pk) not in console.get(listed).content.decode()
    assert str(template.pk) in console.get(f"{listed}?state=archived").content.decode()

    console.post(reverse("admin:notifications_template_restore", args=[template.pk]))
    assert str(template.pk) in console.get(listed).content.decode()
    assert [event.verb for event in AuditEvent.objects.order_by("at")] == ["archived", "restored"]


@pytest.mark.parametrize("step", ["archive", "restore"])
def test_opening_the_page_of_an_action_changes_nothing(console, template, step):
    console.get(reverse(f"admin:notifications_template_{step}", args=[template.pk]))

    template.refresh_from_db()
    assert template.archived_at is None
    assert not AuditEvent.objects.exists()


def test_the_list_shows_placeholders_of_the_newest_version(console, service):
    factories.make_template(service, Channel.SMS, content="Tide at ((hour)) on ((day))")

    page = console.get(reverse("admin:notifications_template_changelist")).content.decode()

    assert "hour" in page
    assert "day" in page
