"""Drafts of templates: saved, published, discarded, restored, and who may do it."""

import html
import re

import pytest
from django.urls import reverse

from config.audit.models import AuditEvent
from notifications.models import Channel, Role, VersionState
from tests import factories
from tests.people import colleague

NO_VERSIONS = {"versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}
ACTIONS = ["publish", "discard", "restore-draft"]


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service):
    return factories.make_template(service, content="Dear ((name))", subject="Hello", name="Welcome")


def page_of(template, page="change"):
    return reverse(f"admin:notifications_template_{page}", args=[template.pk])


def save(client, template, *, button="_save", **fields):
    values = {"name": "Welcome", "subject": "Hello", "content": "Dear ((name))", "note": "", "based_on": 1}
    posted = {**values, **NO_VERSIONS, button: "", **fields}
    return html.unescape(client.post(page_of(template), posted, follow=True).content.decode())


def save_draft(client, template, **fields):
    return save(client, template, button="_save_draft", **fields)


def states(template):
    return list(template.versions.order_by("number").values_list("number", "state"))


def publish(client, template, version, *, published=1, keys="all"):
    posted = {"version": version, "published": published, "keys": keys}
    return html.unescape(client.post(page_of(template, "publish"), posted, follow=True).content.decode())


def test_a_draft_is_stored_beside_the_published_version(console, template):
    page = save_draft(console, template, content="Dear all", name="Greeting", note="for boats")

    assert "Saved as a draft, version 2. Messages use version 1." in page
    template.refresh_from_db()
    assert (template.current_version, template.name, template.updated_at) == (1, "Welcome", None)
    assert states(template) == [(1, "published"), (2, "draft")]
    draft = template.versions.get(number=2)
    assert (draft.name, draft.content, draft.note, draft.created_by) == (
        *("Greeting", "Dear all", "for boats"),
        "mina@example.org",
    )


def test_the_editor_shows_the_draft(console, template):
    factories.make_draft(template, "Dear ((name)), bring a rope")

    page = html.unescape(console.get(page_of(template)).content.decode())

    assert re.search(r"<textarea[^>]*name=\"content\"[^>]*>\s*Dear \(\(name\)\), bring a rope<", page)
    assert "You are editing the draft, version 2. Messages use version 1 until you publish it." in page
    assert 'name="based_on" value="2"' in page
    assert f'href="{page_of(template, "compare")}?from=1&to=2">Compare with version 1</a>' in page


def test_a_new_template_has_no_button_for_drafts(console, service):
    assert "Save draft" not in console.get("/admin/notifications/template/add/").content.decode()


def test_a_later_draft_replaces_the_earlier_one(console, template):
    save_draft(console, template, content="one")
    save_draft(console, template, content="two", based_on=2)

    assert states(template) == [(1, "published"), (2, "replaced"), (3, "draft")]


def test_a_draft_without_changes_is_not_stored(console, template):
    page = save_draft(console, template, note="nothing to say")

    assert "The text has not changed. It is still version 1." in page
    assert states(template) == [(1, "published")]


def test_an_unchanged_draft_is_published(console, template):
    save_draft(console, template, content="Dear all", name="Greeting")

    page = save(console, template, content="Dear all", name="Greeting", based_on=2)

    assert "Saved as version 2. Messages sent from now on use it." in page
    template.refresh_from_db()
    assert (template.current_version, template.name) == (2, "Greeting")
    assert states(template) == [(1, "published"), (2, "published")]


def test_publishing_another_text_replaces_the_draft_and_the_version_for_test_keys(console, template):
    factories.make_draft(template, "Dear a", state=VersionState.TEST)
    factories.make_draft(template, "Dear b")

    save(console, template, content="Dear c", based_on=3)

    template.refresh_from_db()
    assert template.current_version == 4
    assert states(template) == [(1, "published"), (2, "replaced"), (3, "replaced"), (4, "published")]


def test_a_draft_with_an_error_is_not_stored(console, template):
    page = save_draft(console, template, content=" ", subject="one\rtwo")

    assert "Enter the message." in page
    assert states(template) == [(1, "published")]


def test_a_draft_does_not_overwrite_that_of_somebody_else(console, template):
    factories.make_draft(template, "Dear Ana")

    page = save_draft(console, template, content="Dear Bo")

    assert "bo@example.org saved version 2 while you edited version 1." in page
    assert '<pre class="nf-version" tabindex="0">Dear Ana</pre>' in page
    assert states(template) == [(1, "published"), (2, "draft")]

    save_draft(console, template, content="Dear Bo", based_on=re.search('name="based_on" value="(.)"', page)[1])

    assert states(template) == [(1, "published"), (2, "replaced"), (3, "draft")]


def test_a_discarded_draft_is_no_newer_version(console, template):
    factories.make_draft(template, state=VersionState.REPLACED)

    page = html.unescape(console.get(page_of(template)).content.decode())
    save(console, template, content="Dear all", based_on=re.search('name="based_on" value="(.)"', page)[1])

    assert states(template) == [(1, "published"), (2, "replaced"), (3, "published")]


def test_a_draft_is_published_on_its_page(console, template):
    factories.make_draft(template, "Dear all")

    page = html.unescape(console.get(page_of(template, "publish")).content.decode())
    assert "Version 2 is saved as the draft. Messages use version 1." in page
    assert "No call of the last 30 days would be rejected because of a new placeholder." in page
    assert states(template) == [(1, "published"), (2, "draft")]

    assert "Saved as version 2. Messages sent from now on use it." in publish(console, template, 2)
    template.refresh_from_db()
    assert template.current_version == 2


def test_a_draft_is_published_for_test_keys_only_and_then_for_all(console, template):
    factories.make_draft(template, "Dear all")
    page = html.unescape(console.get(page_of(template, "publish")).content.decode())
    assert "test keys then use version 2 without naming it." in page

    page = publish(console, template, 2, keys="test")

    assert "Test keys use version 2 from now on. Other keys use version 1." in page
    assert "Version 2 is used by test keys only. Other keys use version 1." in page
    assert states(template) == [(1, "published"), (2, "test")]
    page = html.unescape(console.get(page_of(template, "publish")).content.decode())
    assert "Version 2 is used by test keys only. Messages of other keys use version 1." in page
    assert "Publish for test keys only" not in page

    publish(console, template, 2)

    assert states(template) == [(1, "published"), (2, "published")]
    verbs = AuditEvent.objects.order_by("at").values_list("verb", flat=True)
    assert list(verbs) == ["published_for_test_keys", "published"]


def test_another_version_for_test_keys_replaces_the_first(console, template):
    factories.make_draft(template, "Dear a", state=VersionState.TEST)
    factories.make_draft(template, "Dear b")

    publish(console, template, 3, keys="test")

    assert states(template) == [(1, "published"), (2, "replaced"), (3, "test")]


@pytest.mark.parametrize("seen", [{"version": 9}, {"version": 2, "published": 7}, {"version": ""}])
def test_a_version_that_the_person_did_not_see_is_not_published(console, template, seen):
    factories.make_draft(template, "Dear all")

    page = publish(console, template, **seen)

    assert "Somebody saved or published another version meanwhile. Nothing was published." in page
    assert states(template) == [(1, "published"), (2, "draft")]


def test_without_a_draft_there_is_nothing_to_publish_or_discard(console, template):
    page = console.get(page_of(template, "publish")).content.decode()
    assert "There is nothing to publish. Version 1 is already published." in page

    page = html.unescape(console.post(page_of(template, "discard") + "?number=1").content.decode())
    assert "Version 1 is no longer a draft." in page
    assert states(template) == [(1, "published")]


@pytest.mark.parametrize(
    ("state", "effect"),
    [
        (VersionState.DRAFT, "Calls of test keys that name the draft get an error then."),
        (VersionState.TEST, "Test keys then use version 1, like other keys."),
    ],
)
def test_a_draft_is_discarded(console, template, state, effect):
    factories.make_draft(template, state=state)
    url = page_of(template, "discard") + "?number=2"
    assert effect in console.get(url).content.decode()

    page = console.post(url, follow=True).content.decode()

    assert "Version 2 is discarded. You can restore its text from the list of versions." in page
    assert states(template) == [(1, "published"), (2, "replaced")]
    assert AuditEvent.objects.get().verb == "discarded_draft"


def test_an_earlier_version_is_restored_as_a_draft(console, template):
    save(console, template, content="Dear all")
    factories.make_draft(template, "Dear b")

    url = page_of(template, "restore-draft") + "?number=1"
    page = console.get(url).content.decode()
    assert "Messages use version 2 until you publish the draft." in page
    assert "The draft, version 3, stays in the list of versions." in page

    page = console.post(url, follow=True).content.decode()

    assert "The text of version 1 is now the draft, version 4." in page
    assert states(template) == [(1, "published"), (2, "published"), (3, "replaced"), (4, "draft")]
    draft = template.versions.get(number=4)
    assert (draft.content, draft.note) == ("Dear ((name))", "Text of version 1")
    event = AuditEvent.objects.get(verb="restored_as_draft")
    assert (event.before, event.after) == ({"version": 3}, {"version": 4, "restored_version": 1})


def test_the_newest_version_is_not_restored(console, template):
    url = page_of(template, "restore-draft") + "?number=1"

    assert "Version 1 is the newest version." in console.get(url).content.decode()
    assert "Version 1 is the newest version." in console.post(url).content.decode()
    assert states(template) == [(1, "published")]


@pytest.mark.parametrize("number", ["", "0", "9", "x", "²", "9" * 30])
@pytest.mark.parametrize("page", ["discard", "restore-draft"])
def test_an_unknown_version_is_not_found(console, template, page, number):
    assert console.get(page_of(template, page), {"number": number}).status_code == 404


def test_the_tab_shows_the_state_of_each_version(console, template):
    save(console, template, content="Dear all")
    factories.make_draft(template, "a", state=VersionState.REPLACED)
    factories.make_draft(template, "b", state=VersionState.TEST)
    factories.make_draft(template, "c")

    page = console.get(page_of(template)).content.decode()

    shown = re.findall(r'(\d+) <span class="sb-chip[^"]*">([^<]+)</span>', page)
    assert shown == [("5", "Draft"), ("4", "Test keys only"), ("3", "Not published"), ("2", "In use")]
    restored = re.findall(r"Restore version (\d+) as draft", page)
    assert restored == ["4", "3", "2", "1"]


def test_the_list_names_the_draft_and_shows_the_published_placeholders(console, template):
    factories.make_draft(template, "Dear ((captain))")

    page = console.get(reverse("admin:notifications_template_changelist")).content.decode()

    assert "version 1, draft: 2" in page
    assert "captain" not in page


def test_saving_and_publishing_are_audited(console, template):
    save_draft(console, template, content="Dear all", note="for boats")
    publish(console, template, 2)

    drafted, published = AuditEvent.objects.order_by("at")
    assert (drafted.verb, published.verb) == ("saved_draft", "published")
    for event in (drafted, published):
        assert event.before == {"version": 1, "content": "Dear ((name))"}
        assert event.after == {"version": 2, "content": "Dear all"}
    told = console.get("/admin/operations/audit/").content.decode()
    assert "mina@example.org saved a draft of the template “Welcome”: for boats" in told


@pytest.mark.parametrize("action", ACTIONS)
def test_the_role_to_see_activity_changes_nothing(service, template, action):
    factories.make_draft(template)
    client = colleague(service, Role.SEE_ACTIVITY)
    number = "?number=1" if action == "restore-draft" else "?number=2"

    assert client.get(page_of(template, action) + number).status_code == 403
    assert client.post(page_of(template, action) + number, {"version": 2, "published": 1}).status_code == 403
    page = client.get(page_of(template)).content.decode()
    assert "Save draft" not in page
    assert "Restore version" not in page
    assert "Dear ((name)), bring" not in page  # the published text is shown
    assert client.post(page_of(template), {"_save_draft": "", "content": "x"}).status_code == 403
    assert states(template) == [(1, "published"), (2, "draft")]


@pytest.mark.parametrize("action", [*ACTIONS, "compare"])
def test_the_template_of_another_service_does_not_exist(template, action):
    factories.make_draft(template)
    client = colleague(factories.make_service(), Role.EDIT_TEMPLATES, Role.SEE_ACTIVITY)

    for number in (1, 2):
        assert client.get(f"{page_of(template, action)}?number={number}").status_code == 404
        assert client.post(f"{page_of(template, action)}?number={number}").status_code == 404


@pytest.mark.parametrize("action", ACTIONS)
def test_opening_the_page_of_an_action_changes_nothing(console, template, action):
    factories.make_draft(template)

    number = "?number=1" if action == "restore-draft" else "?number=2"
    assert console.get(page_of(template, action) + number).status_code == 200

    assert states(template) == [(1, "published"), (2, "draft")]
    assert not AuditEvent.objects.exists()


def test_a_text_message_has_drafts_too(console, service):
    template = factories.make_template(service, Channel.SMS, content="Code ((code))", name="Gate")

    save_draft(console, template, name="Gate", content="Your code: ((code))")

    assert template.versions.get(number=2).subject is None
    publish(console, template, 2)
    template.refresh_from_db()
    assert template.published().content == "Your code: ((code))"
