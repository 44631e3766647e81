"""Protected names: only operators edit the list and give a name to a service."""

import html
from importlib import import_module

import pytest
from django.apps import apps
from django.urls import reverse

from config.areas import DocumentErrors
from config.audit.models import AuditEvent
from notifications.management.provision.services import provision
from notifications.models import ProtectedName, Role, Service, SmsSender
from tests import factories
from tests.people import colleague

LIST = reverse("admin:notifications_protectedname_changelist")
ADD = reverse("admin:notifications_protectedname_add")
ADD_SENDER = reverse("admin:notifications_smssender_add")


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.fixture(autouse=True)
def listed(db):
    """Fill the list as in a new installation."""
    ProtectedName.objects.all().delete()
    import_module("notifications.migrations.0001_version_1_1").protect_names(apps, None)


@pytest.fixture
def manager(service):
    return colleague(service, Role.MANAGE_SERVICE, Role.MANAGE_API)


def text_of(answer):
    return html.unescape(answer.content.decode())


def test_a_new_list_has_the_most_trusted_names(console):
    assert {"HMRC", "GOV.UK", "NHS"} <= set(ProtectedName.objects.values_list("name", flat=True))
    page = text_of(console.get(LIST))
    assert "HMRC" in page
    assert "Only operators can use these names, and similar ones, as the name of a service" in page


@pytest.mark.parametrize("sender", ["HMRC", "hmrc", "H M R C", "GOV.UK", "GOVUK", "G0V-UK"])
def test_a_team_cannot_use_a_protected_sender(manager, service, sender):
    page = text_of(manager.post(ADD_SENDER, {"service": service.pk, "sender": sender}))

    assert f"“{sender}” is a protected name. Ask an operator to set it." in page
    assert not SmsSender.objects.exists()


def test_an_operator_gives_a_protected_name_to_a_service(console, service):
    console.post(ADD_SENDER, {"service": service.pk, "sender": "HMRC"})

    assert SmsSender.objects.get().sender == "HMRC"
    assert AuditEvent.objects.get(object_kind="smssender").object_label == "HMRC"


def test_only_an_operator_renames_a_service_to_a_protected_name(manager, console, service):
    general = reverse("admin:notifications_service_general", args=[service.pk])

    assert "is a protected name" in text_of(
        manager.post(general, {"name": "Gov.uk", "retention_days": 7, "unsubscribe_request_days": 365})
    )
    assert Service.objects.get().name == "Tides"

    console.post(general, {"name": "GOV.UK", "retention_days": 7, "unsubscribe_request_days": 365})
    assert Service.objects.get().name == "GOV.UK"


def test_an_earlier_name_stays_valid(manager, service):
    Service.objects.filter(pk=service.pk).update(name="HM\u202eRC")
    general = reverse("admin:notifications_service_general", args=[service.pk])

    manager.post(general, {"name": "HM\u202eRC", "retention_days": 9, "unsubscribe_request_days": 365})

    assert Service.objects.get().retention_days == 9


def test_an_operator_edits_the_list_and_the_audit_records_it(console, manager, service):
    console.post(ADD, {"name": "Harbour", "rule": "operators_only"})
    refused = text_of(manager.post(ADD_SENDER, {"service": service.pk, "sender": "HARBOUR"}))
    assert "is a protected name" in refused

    row = ProtectedName.objects.get(name="Harbour")
    page = text_of(console.get(reverse("admin:notifications_protectedname_remove", args=[row.pk])))
    assert "Remove Harbour from the protected names" in page
    done = console.post(reverse("admin:notifications_protectedname_remove", args=[row.pk]), follow=True)

    assert "Harbour is removed from the list." in text_of(done)
    manager.post(ADD_SENDER, {"service": service.pk, "sender": "HARBOUR"})
    assert SmsSender.objects.get().sender == "HARBOUR"
    verbs = AuditEvent.objects.filter(object_kind="protectedname").order_by("at").values_list("verb", "object_label")
    assert list(verbs) == [("created", "Harbour"), ("deleted", "Harbour")]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("h-m-r-c", "already on the list"), ("--", "Use at least one letter or digit."), ("", "This field is required.")],
)
def test_an_invalid_name_is_rejected(console, name, reason):
    before = ProtectedName.objects.count()

    assert reason in text_of(console.post(ADD, {"name": name, "rule": "operators_only"}))
    assert ProtectedName.objects.count() == before


def test_only_operators_open_the_list(manager):
    row = ProtectedName.objects.first()

    assert [manager.get(page).status_code for page in (LIST, ADD)] == [403, 403]
    assert manager.post(reverse("admin:notifications_protectedname_remove", args=[row.pk])).status_code == 403
    assert "Protected names" not in text_of(manager.get("/admin/"))


@pytest.mark.parametrize("sender", ["Info", "INFO", "lnf0", "s.m.s", "Rerninder"])
def test_nobody_can_use_a_name_that_is_too_general(manager, console, service, sender):
    for person in (manager, console):
        page = text_of(person.post(ADD_SENDER, {"service": service.pk, "sender": sender}))
        assert f"“{sender}” is too general." in page
    assert not SmsSender.objects.exists()


def test_an_operator_adds_and_removes_a_general_name(manager, console, service):
    console.post(ADD, {"name": "Harbour", "rule": "too_general"})
    assert "is too general" in text_of(manager.post(ADD_SENDER, {"service": service.pk, "sender": "HARBOUR"}))
    assert "Harbour" in text_of(console.get(f"{LIST}?rule=too_general"))

    row = ProtectedName.objects.get(name="Harbour")
    console.post(reverse("admin:notifications_protectedname_remove", args=[row.pk]))

    manager.post(ADD_SENDER, {"service": service.pk, "sender": "HARBOUR"})
    assert SmsSender.objects.get().sender == "HARBOUR"


def test_provision_refuses_a_new_sender_that_is_too_general(service):
    factories.make_sms_sender(service, "Alert")
    errors = DocumentErrors()

    provision([{"id": str(service.pk), "sms_senders": [{"sender": "Alert"}, {"sender": "Info"}]}], errors)

    assert len(errors.lines) == 1
    assert errors.lines[0].startswith("services[0].sms_senders[1].sender: “Info” is too general.")
