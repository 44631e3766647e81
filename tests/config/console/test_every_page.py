"""Every page of the console opens for people with permission, and rejects undeclared parameters."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.db import models
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config import audit
from config.audit.models import AuditEvent
from config.audit.reads import ReadEvent
from config.jobs.models import BulkJobRun, RetentionRun, Trigger
from datasets.models import Alarm, QueryToken
from notifications.models import CallbackDelivery, GoLiveRequest, ProtectedName
from tests import factories
from tests.datasets import making
from tests.datasets.dashboards.making import make_dashboard
from tests.datasets.saved_queries.making import save
from tests.notifications.download.sending import send_file

REGISTERED = sorted(admin.site._registry.items(), key=lambda item: item[0]._meta.label)
NAMES = [model._meta.label for model, _ in REGISTERED]
PEEKS = ("startswith", "contains", "regex", "gte", "exact")
NOT_UNDERSTOOD = (BadRequest, SuspiciousOperation)  # Django answers these with 400


def address(model: type[models.Model], page: str) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}")


def refuse(model_admin: admin.ModelAdmin, person: User, request: HttpRequest) -> None:
    """Call the list without rendering the error page, which takes ten times as long."""
    request.user = person
    with pytest.raises(NOT_UNDERSTOOD):
        model_admin.changelist_view(request)


@pytest.mark.parametrize(("model", "model_admin"), REGISTERED, ids=NAMES)
def test_the_list_opens(console, model, model_admin):
    assert console.get(address(model, "changelist")).status_code == 200


@pytest.mark.parametrize(("model", "model_admin"), REGISTERED, ids=NAMES)
def test_the_add_page_opens_if_there_is_one(console, rf, operator, model, model_admin):
    request = rf.get("/admin/")
    request.user = operator

    answer = console.get(address(model, "add"))

    assert answer.status_code == (200 if model_admin.has_add_permission(request) else 403)


@pytest.mark.parametrize("page", ["changelist", "add"])
@pytest.mark.parametrize(("model", "model_admin"), REGISTERED, ids=NAMES)
def test_anonymous_visitors_are_redirected_to_the_sign_in(client, model, model_admin, page, db):
    answer = client.get(address(model, page))

    assert answer.status_code == 302
    assert answer["Location"].startswith("/admin/login/?next=/admin/")


@pytest.mark.parametrize(("model", "model_admin"), REGISTERED, ids=NAMES)
@pytest.mark.fault("T2")
def test_a_column_cannot_be_read_letter_by_letter(console, rf, operator, model, model_admin):
    """Django filters by any field in a query string; the console accepts declared filters only (trap T2)."""
    place = address(model, "changelist")
    declared = {one[0] if isinstance(one, tuple) else one for one in model_admin.list_filter}
    declared.add(model_admin.date_hierarchy)
    for field in model._meta.fields:
        for peek in PEEKS:
            if field.name in declared and (peek == "exact" or isinstance(field, models.DateField)):
                continue
            refuse(model_admin, operator, rf.get(place, {f"{field.name}__{peek}": "a"}))

    assert console.get(f"{place}?{model._meta.pk.name}__contains=a").status_code == 400


@pytest.mark.parametrize(("model", "model_admin"), REGISTERED, ids=NAMES)
@pytest.mark.fault("T2")
def test_a_column_of_another_model_cannot_be_read_through_a_relation(rf, operator, model, model_admin):
    for field in model._meta.get_fields():
        related = field.related_model
        if related is None:
            continue
        for column in related._meta.fields:
            peek = {f"{field.name}__{column.name}__startswith": "a"}
            refuse(model_admin, operator, rf.get(address(model, "changelist"), peek))


@pytest.mark.parametrize(("model", "model_admin"), REGISTERED, ids=NAMES)
@pytest.mark.fault("T6")
def test_there_is_no_bulk_delete(console, rf, operator, model, model_admin):
    request = rf.get("/admin/")
    request.user = operator

    assert "delete_selected" not in model_admin.get_actions(request)


def test_the_overview_of_an_empty_installation_leads_to_the_first_message(console):
    page = console.get("/admin/").content.decode()

    assert "Create a service" in page
    assert reverse("admin:notifications_service_add") in page


def test_a_page_of_the_console_calls_no_other_host(console):
    policy = console.get("/admin/").headers["Content-Security-Policy"]

    assert "script-src 'self' 'unsafe-eval';" in policy
    assert "http" not in policy


@pytest.mark.fault("G8")
def test_a_form_without_its_token_is_rejected(operator):
    careful = Client(enforce_csrf_checks=True)
    careful.force_login(operator)

    answer = careful.post(reverse("admin:notifications_service_add"), {"name": "Tides", "permissions": ["email"]})

    assert answer.status_code == 403


def test_a_page_that_is_not_for_the_account_says_so(console):
    answer = console.get(reverse("admin:operations_auditevent_add"))

    assert answer.status_code == 403
    assert "Ask a manager of your service or an operator for permission" in answer.content.decode()


def test_a_form_that_is_too_old_says_what_to_do(operator):
    careful = Client(enforce_csrf_checks=True)
    careful.force_login(operator)

    answer = careful.post(reverse("admin:notifications_service_add"), {"name": "Tides"})

    assert "Open the form again" in answer.content.decode()


def rows_of_every_model():
    """Return one row of each registered model by its label."""
    service = factories.make_service()
    template = factories.make_template(service)
    data_set = making.make_data_set()
    making.make_token(data_set)
    endpoint = factories.make_callback(service)
    saved_query = save(data_set)
    rows = [
        service,
        template,
        data_set,
        data_set.group,
        data_set.type,
        ReadEvent.objects.create(user_id="1", user_label="mina", object_kind="record", object_id="f00"),
        data_set.tokens.get(),
        Alarm.objects.create(data_set=data_set, name="Late", measure="minutes", condition="above", limit=30),
        make_dashboard(slug="pay", title="How we pay"),
        saved_query,
        QueryToken.objects.create(saved_query=saved_query, prefix="dq_01234", token_hash="0" * 64),
        factories.make_api_key(service),
        factories.make_sms_sender(service),
        factories.make_reply_to(service),
        factories.make_team_member(service),
        factories.make_guest(service),
        factories.make_notification(template),
        factories.make_unsubscribe_request(template),
        factories.make_suppression(service),
        factories.make_received_text(service),
        factories.make_received_email(service),
        factories.make_bulk_send(template),
        endpoint,
        CallbackDelivery.objects.owe_test(endpoint),
        send_file(service).row,
        audit.record(audit.CLOCK, "removed", object_kind="service", object_id=service.pk),
        User.objects.create_user("jo", password="a-long-password-2"),
        BulkJobRun.objects.create(kind="revoke-keys", total=1, way_back="/admin/"),
        RetentionRun.objects.create(rule="files", trigger=Trigger.CLOCK, finished_at=timezone.now()),
        ProtectedName.objects.create(name="Harbour Master"),
        GoLiveRequest.objects.create(service=service, emails_per_day=1, texts_per_day=1, purpose="tides"),
    ]
    return {row._meta.label: row for row in rows}


def test_the_page_of_every_row_opens_with_its_history(console):
    rows = rows_of_every_model()

    assert set(rows) == set(NAMES)
    for row in rows.values():
        for page in ("change", "history"):
            place = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_{page}", args=[row.pk])
            answer = console.get(place)
            if page == "history" and isinstance(row, AuditEvent | ReadEvent | RetentionRun):  # they have no history
                assert answer.status_code == 403
                continue
            assert answer.status_code == 200, place
            way = re.findall(r'class="sb-crumb-text">([^<]*)<', answer.content.decode())
            assert way, place
            assert str(row.pk)[:8] not in way[-1] or len(str(row.pk)) < 8, way
