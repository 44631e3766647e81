"""Emails of Signalbox's own, to the people who work with it: written as all are, and handed over by the worker at once.

They are no messages of a service: neither counted nor kept, and a provider's receipts for them are for nobody.
"""

from datetime import timedelta
from enum import Enum, auto
from uuid import UUID

import structlog
from django.conf import settings

from notifications.delivery import providers
from notifications.delivery.carrier import Carrier
from notifications.delivery.messages import OutgoingEmail, PermanentFailure, TemporaryFailure
from notifications.delivery.providers.sandbox import Sandbox
from notifications.rendering.email import EmailText, html_document

AGAIN_AFTER = timedelta(minutes=5)  # where no provider takes it; also the lease of who is at it

log = structlog.get_logger()


class Handed(Enum):
    """What came of handing one over. REFUSED is for good; NOT_YET is to be tried again."""

    TAKEN = auto()
    REFUSED = auto()
    NOT_YET = auto()


def leaves() -> bool:
    """Say whether a provider takes email to the people themselves; the sandbox keeps it in its inbox."""
    return any(OutgoingEmail in carrier.provider.carries for carrier in providers.configured() if _leads_out(carrier))


def write(text: EmailText, *, to: str, identifier: UUID) -> OutgoingEmail:
    """Return the email. to: with the host in ASCII; identifier: the same at every try."""
    return OutgoingEmail(
        from_name="Signalbox",
        from_address=f"signalbox@{settings.EMAIL_DOMAIN}",
        to=to,
        subject=text.subject,
        text=text.plain,
        html=html_document(text),
        message_id=f"<{identifier}@{settings.EMAIL_DOMAIN}>",
    )


def hand_over(message: OutgoingEmail, *, about: str, must_leave: bool = False) -> Handed:
    """Hand one email to the first provider that takes it.

    about: what it is about, for the log
    must_leave: the sandbox's inbox is no place for it
    """
    for carrier in providers.able_to_take(message):
        if (must_leave and not _leads_out(carrier)) or not carrier.lets_in():
            continue
        try:
            carrier.send(message)
        except PermanentFailure as failure:
            log.warning("own_email.refused", about=about, provider=carrier.name, reason=failure.reason)
            return Handed.REFUSED
        except TemporaryFailure as failure:
            log.warning("own_email.not_taken", about=about, provider=carrier.name, reason=failure.reason)
            continue
        return Handed.TAKEN
    return Handed.NOT_YET


def _leads_out(carrier: Carrier) -> bool:
    return not isinstance(carrier.provider, Sandbox)
