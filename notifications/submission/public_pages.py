"""Previews of the pages for recipients. A link shows the pages with the name and contact of one service, for an hour.

The pages may be on a host of their own, without the console's session, so a signature replaces the permission.
Source: docs/reference/console.md §3.21.
"""

from uuid import UUID

from django.conf import settings
from django.core import signing

from notifications.models import Service

VALID_SECONDS = 3600
_SALT = "notifications.public-pages"

# Page → the situation in which a recipient sees it.
PAGES = {
    "landing": "The link of an email with a file",
    "confirm": "The question for the email address",
    "wrong-email-address": "A wrong email address was entered",
    "locked": "Too many wrong email addresses were entered",
    "file": "The file is ready",
    "expired": "The last day has passed",
    "withdrawn": "Staff withdrew the file",
    "away": "The file is not available at the moment",
    "damaged": "The file is damaged",
    "unsubscribe": "The unsubscribe link of an email",
    "unsubscribed": "The recipient has unsubscribed",
}


def write_token(service: Service) -> str:
    """Return the part of the URLs that names the service."""
    return signing.dumps(str(service.pk), salt=_SALT)


def read_token(token: str) -> Service | None:
    """Return the service, or None if the token is wrong or too old."""
    try:
        service_id = signing.loads(token, salt=_SALT, max_age=VALID_SECONDS)
    except signing.BadSignature:
        return None
    return Service.objects.filter(pk=UUID(service_id)).first()


def url(token: str, page: str) -> str:
    return f"{settings.FILES_BASE_URL}/d/preview/{token}/{page}"
