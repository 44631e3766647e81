"""The demo data of the sending area: two services, their templates and keys, and two weeks of messages.

Source: Developer experience §2, §5.
"""

import copy
import uuid

from django.core.management import CommandError
from django.db import transaction
from django.utils import timezone

from config.management.parts import USUAL, DemoResult, DemoWish, Faults
from notifications.management import demo_document
from notifications.management.demo_messages import make_messages
from notifications.management.provision import provision
from notifications.models import ApiKey, Notification, SandboxMessage, Service

KEY_VARIABLE = "NOTIFY_API_KEY"


def make_demo(held: dict[str, str], wish: DemoWish = USUAL) -> DemoResult:
    """Make what is not there yet. Without a key in `held` the old one is revoked and a new one issued."""
    with transaction.atomic():
        key = _make_services(held.get(KEY_VARIABLE, ""))
        make_messages(wish.seed, wish.factor)
    return DemoResult(
        variables={
            KEY_VARIABLE: key,
            "EMAIL_TEMPLATE": demo_document.EMAIL_TEMPLATE,
            "SMS_TEMPLATE": demo_document.SMS_TEMPLATE,
        },
        lines=[f"Test key     {KEY_VARIABLE}={key}"],
    )


def wipe_demo() -> None:
    """Remove the demo's services with all that hangs on them; the audit keeps what was done."""
    services = [service["id"] for service in demo_document.DOCUMENT]
    SandboxMessage.objects.filter(
        notification_id__in=Notification.objects.filter(service__in=services).values("pk")
    ).delete()
    Service.objects.filter(pk__in=services).delete()


def _make_services(held_key: str) -> str:
    """Provision the demo document with the test key that is held, or a new one. Returns the whole key."""
    document = copy.deepcopy(demo_document.DOCUMENT)
    declared = next(key for key in document[0]["api_keys"] if key["name"] == demo_document.TEST_KEY)
    declared["secret"] = _secret(held_key) or str(uuid.uuid4())
    parks = uuid.UUID(demo_document.PARKS)
    for former in ApiKey.objects.filter(service=parks, name=demo_document.TEST_KEY, revoked_at=None):
        if former.secret != declared["secret"]:
            former.revoked_at = timezone.now()
            former.save(update_fields=["revoked_at"])
    faults = Faults()
    completed = provision(document, faults)
    if faults.lines or not isinstance(completed, list):
        raise CommandError("\n".join(faults.lines))
    return str(next(key["api_key"] for key in completed[0]["api_keys"] if key["name"] == demo_document.TEST_KEY))


def _secret(key: str) -> str | None:
    """Return the secret at the end of a whole key of the demo service."""
    start = f"{demo_document.TEST_KEY}-{demo_document.PARKS}-"
    return key.removeprefix(start) if key.startswith(start) else None
