"""The link at the end of an email: the message's id, signed, so that nobody can make one for another's message.

It does not end with time: a recipient may open an old email. Source: Rendering §4.9.
"""

from uuid import UUID

from django.conf import settings
from django.core.signing import BadSignature, Signer

from notifications.models import Notification

_signer = Signer(salt="unsubscribe")


def url(notification: Notification) -> str:
    """Return our page where the recipient of this very message confirms that no more shall come."""
    return f"{settings.BASE_URL}/unsubscribe/{_signer.sign(str(notification.id))}"


def message_of(token: str) -> Notification | None:
    """Return the message whose link this is; None: it was not made here, or the message is gone."""
    try:
        identifier = UUID(_signer.unsign(token))
    except (BadSignature, ValueError):
        return None
    return Notification.objects.select_related("service").filter(id=identifier).first()
