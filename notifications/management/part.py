"""What the sending area contributes to the shared commands."""

from datetime import timedelta

from django.conf import settings

from config.management.parts import Finding, Part, register
from notifications import tasks
from notifications.attachments import expiry
from notifications.delivery import providers
from notifications.management import checkups
from notifications.management.demo import make_demo
from notifications.management.provision import provision
from notifications.management.reseals import reseals
from notifications.management.tries import try_email, try_sms
from notifications.models import IdempotencyRecord, SandboxMessage


def _providers() -> Finding:
    names = ", ".join(carrier.name for carrier in providers.configured())
    if settings.PROVIDERS == ["sandbox"]:
        names += " (nothing leaves this machine)"
    return Finding(name="providers", seen=names)


def _files(older_than: timedelta | None) -> int:
    """Remove due files, then blobs without a row. Returns how many of both."""
    orphans = expiry.remove_orphans(expiry.ORPHAN_AFTER if older_than is None else older_than)
    return expiry.remove_due().removed + orphans.removed


register(
    Part(
        area="notifications",
        provision_key="services",
        provision=provision,
        demo=make_demo,
        tries={"email": try_email, "sms": try_sms},
        sweeps={
            "messages": tasks.enqueue_due,
            "silent": tasks.end_silent,
            "retention": tasks.purge_all,
            "sandbox": SandboxMessage.objects.trim,
            "idempotency keys": IdempotencyRecord.objects.forget_old,
        },
        aged_sweeps={"files": _files},
        checkups=[_providers, checkups.scanner, checkups.file_store],
        reseals=reseals(),
    )
)
