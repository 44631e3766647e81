"""The demo data of the sending area: two services, their templates and keys, two weeks of messages and a bulk send."""

import copy
import uuid

from django.conf import settings
from django.core.management import CommandError
from django.db import transaction
from django.utils import timezone

from config import audit
from config.areas import USUAL, DemoOptions, DemoResult, DocumentErrors
from config.audit import changes
from notifications.management import demo_document
from notifications.management.demo_bulk import make_bulk_send
from notifications.management.demo_messages import make_messages
from notifications.management.provision.services import provision
from notifications.models import ApiKey, Notification, SandboxMessage, Service

KEY_VARIABLE = "NOTIFY_API_KEY"


def make_demo(stored: dict[str, str], options: DemoOptions = USUAL) -> DemoResult:
    """Create the demo data that does not exist yet. If `stored` has no key, revoke the old key and create a new one."""
    with transaction.atomic():
        key = _make_services(stored.get(KEY_VARIABLE, ""))
        make_bulk_send(options.seed)
        make_messages(options.seed, options.factor)
    return DemoResult(
        variables={
            KEY_VARIABLE: key,
            "EMAIL_TEMPLATE": demo_document.EMAIL_TEMPLATE,
            "SMS_TEMPLATE": demo_document.SMS_TEMPLATE,
        },
        lines=[f"Test key     {KEY_VARIABLE}={key}"],
    )


def wipe_demo() -> None:
    """Delete the demo services with all their rows. The audit events remain."""
    services = [service["id"] for service in demo_document.DOCUMENT]
    SandboxMessage.objects.filter(
        notification_id__in=Notification.objects.filter(service__in=services).values("pk")
    ).delete()
    for service in Service.objects.filter(pk__in=services):
        audit.record(audit.operator(), "deleted", service, before=changes.snapshot(service))
        service.delete()


def _make_services(stored_key: str) -> str:
    """Provision the demo document with the stored test key, or a new one. Return the complete key."""
    document = copy.deepcopy(demo_document.DOCUMENT)
    declared = next(key for key in document[0]["api_keys"] if key["name"] == demo_document.TEST_KEY)
    declared["secret"] = _secret(stored_key) or str(uuid.uuid4())
    parks = uuid.UUID(demo_document.PARKS)
    for former in ApiKey.objects.filter(service=parks, name=demo_document.TEST_KEY, revoked_at=None):
        if former.secret != declared["secret"]:
            stored = changes.snapshot(former)
            former.revoked_at, former.revoked_by = timezone.now(), settings.PROVISION_AUTHOR
            former.save(update_fields=["revoked_at", "revoked_by"])
            before, after = changes.difference(stored, changes.snapshot(former))
            audit.record(audit.operator(), "revoked", former, before=before, after=after)
    errors = DocumentErrors()
    completed = provision(document, errors)
    if errors.lines or not isinstance(completed, list):
        raise CommandError("\n".join(errors.lines))
    return str(next(key["api_key"] for key in completed[0]["api_keys"] if key["name"] == demo_document.TEST_KEY))


def _secret(key: str) -> str | None:
    """Return the secret at the end of a test key of the demo service, or None for any other key."""
    start = f"{demo_document.TEST_KEY}-{demo_document.PARKS}-"
    return key.removeprefix(start) if key.startswith(start) else None
