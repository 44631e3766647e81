"""Lists stop counting at a limit, and empty lists say what belongs in them."""

import re

import pytest
from django.contrib import admin
from django.db import connection, models
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.audit.models import AuditEvent
from config.console.admin import change_list
from config.console.admin.change_list import CappedPaginator
from notifications.models import GuestListEntry
from tests import factories
from tests.datasets import making


@pytest.mark.django_db
@pytest.mark.fault("T5")
def test_counting_stops_at_its_limit(monkeypatch):
    monkeypatch.setattr(change_list, "MAX_COUNTED", 3)  # 10 000 rows would only make the test slow
    AuditEvent.objects.bulk_create(AuditEvent(verb="made", object_kind="x", object_id=str(n)) for n in range(5))

    pages = CappedPaginator(AuditEvent.objects.all(), 2)

    assert (pages.count, pages.is_capped, pages.num_pages) == (3, True, 2)


@pytest.mark.django_db
def test_a_short_list_is_counted_whole():
    pages = CappedPaginator(AuditEvent.objects.all(), 2)

    assert (pages.count, pages.is_capped) == (0, False)


@pytest.mark.parametrize(
    ("model", "query", "counts_there"),
    [("notification", "", False), ("notification", "origin__exact=api", False), ("callbackdelivery", "", True)],
)
@pytest.mark.fault("T5")
def test_a_list_never_counts_without_a_limit(console, model, query, counts_there):
    """The message log reads a limited number of statuses instead of COUNT."""
    factories.make_notification()

    with CaptureQueriesContext(connection) as queries:
        console.get(reverse(f"admin:notifications_{model}_changelist") + f"?{query}")

    counts = [one["sql"] for one in queries if "COUNT(*)" in one["sql"] and f"notifications_{model}" in one["sql"]]
    assert bool(counts) is counts_there
    assert all("LIMIT" in count for count in counts)


def test_an_empty_list_says_what_belongs_there(console):
    page = console.get(reverse("admin:notifications_apikey_changelist")).content.decode()

    assert "Start with a test key: nothing is really sent." in page
    assert reverse("admin:notifications_apikey_add") in page


def test_without_a_service_an_empty_list_links_to_the_form_for_one(console):
    make, place = "Create a service first", reverse("admin:notifications_apikey_changelist")

    before = console.get(place).content.decode()
    factories.make_service()
    after = console.get(place).content.decode()

    assert make in before
    assert make not in after
    assert "Create API key" in after


def test_a_page_that_creates_a_row_has_it_in_its_heading(console):
    page = console.get(reverse("admin:notifications_apikey_add")).content.decode()

    assert "Create API key" in re.search(r"<h1.*?</h1>", page, re.DOTALL)[0]


def test_a_page_beside_a_list_has_its_title_in_the_breadcrumbs(console):
    def head(name):
        page = console.get(reverse(f"admin:{name}")).content.decode()
        return re.findall(r'class="sb-crumb-text"[^>]*>([^<]+)<', re.search(r"<h1.*?</h1>", page, re.DOTALL)[0])

    assert head("notifications_guestlistentry_add") == ["For developers", "Guest list", "Add to the guest list"]
    assert head("notifications_notification_send") == ["Send", "Send a message"]
    assert head("operations_auditevent_changelist") == ["Operations", "Audit"]
    assert head("auth_user_changelist") == ["Operations", "Users"]
    assert head("notifications_template_changelist") == ["Templates"]


def test_a_filter_without_results_has_its_own_text(console):
    factories.make_service(live=True)

    page = console.get(f"{reverse('admin:notifications_service_changelist')}?state=trial").content.decode()

    assert "No results. Change or clear the filters." in page


@pytest.mark.parametrize(("asked", "shown"), [(400, 2), (0, 1), (-3, 1)])
def test_a_missing_page_of_a_list_is_named_and_the_nearest_one_shown(console, asked, shown):
    group = factories.make_service()
    for number in range(51):
        factories.make_team_member(group, f"person{number}@example.org")

    answer = console.get(f"/admin/notifications/teammember/?p={asked}")

    assert answer.status_code == 200
    assert answer.context["cl"].page_num == shown
    assert f"Page {asked} does not exist." in answer.content.decode()


def test_the_gap_between_page_numbers_is_not_a_link(console):
    service = factories.make_service()
    GuestListEntry.objects.bulk_create(
        GuestListEntry(service=service, kind="email", value=f"a{n}@example.org", normalised=f"a{n}@example.org")
        for n in range(1001)
    )

    page = console.get("/admin/notifications/guestlistentry/?p=10").content.decode()

    assert '<span aria-hidden="true">…</span>' in page
    assert "?p=%E2%80%A6" not in page
    assert "1,001" in page
    assert not re.search(r"(?<![0-9a-f-])1001(?![0-9a-f-])", page)  # ids of rows may contain these digits


@pytest.mark.parametrize("key", ["9" * 30, "9223372036854775808", "x", "", "٣x", "1.5"])
def test_an_action_with_impossible_row_keys_is_rejected(console, key):
    for name, action in (("datasets_dataset", "set_retention"), ("notifications_apikey", "revoke_chosen")):
        url = reverse(f"admin:{name}_changelist")
        answer = console.post(url, {"action": action, "_selected_action": [key]})
        assert answer.status_code == 400, name


def test_the_links_of_a_sorted_column_have_words(console):
    page = console.get(f"{reverse('admin:auth_user_changelist')}?o=1").content.decode()

    head = re.search(r'<th[^>]*aria-sort="ascending".*?</th>', page, re.DOTALL)[0]
    for words in ("Sort in descending order", "Do not sort by this column"):
        assert f'title="{words}"' in head
        assert f'<span class="sb-hidden">{words}</span>' in head


def test_empty_cells_of_django_look_like_the_consoles_own(console, operator):
    operator.email = ""
    operator.save()

    page = console.get(reverse("admin:auth_user_changelist")).content.decode()

    assert re.search(r"field-email[^>]*>\s*(<[^>]+>\s*)*–", page)
    assert admin.site.empty_value_display == "–"


def test_a_list_counts_its_rows_with_the_noun_of_its_page(console):
    making.make_data_set("pay", "volumes")

    for model in ("group", "type"):
        page = console.get(reverse(f"admin:datasets_data{model}_changelist")).content.decode()
        assert re.search(rf"\b1\s+{model}\b", page)


def test_the_checkboxes_of_a_list_name_their_rows(console):
    template = factories.make_template(name="Tide table")

    page = console.get(reverse("admin:notifications_template_changelist")).content.decode()

    assert f'aria-label="Select {template}"' in page
    assert 'aria-label="Select record"' not in page


NUMBERS_AND_TIMES = (models.DateField, models.TimeField, models.IntegerField, models.FloatField, models.DecimalField)


def test_no_list_or_read_only_page_shows_a_number_or_time_in_the_form_of_the_admin(admin_user):
    request = RequestFactory().get("/")
    request.user = admin_user
    raw = []
    for model, model_admin in admin.site._registry.items():
        shown = {*model_admin.list_display, *model_admin.readonly_fields}
        if not model_admin.has_change_permission(request):
            shown |= {*(model_admin.fields or ())}
        fields = {field.name: field for field in model._meta.get_fields()}
        raw += [
            f"{type(model_admin).__name__}.{name}"
            for name in shown - {"pk", "__str__"}
            if not hasattr(model_admin, str(name)) and isinstance(fields.get(name), NUMBERS_AND_TIMES)
        ]

    assert raw == []
