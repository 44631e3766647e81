"""All errors of the sending API: one class for each row of the contract's error tables."""

from collections.abc import Iterator

from config.rest.api_errors import SendingError
from config.rest.shared_errors import InternalError, RequestNotUnderstood, Unavailable, UrlNotFound, UseHttps
from notifications.errors.bulk import *  # noqa: F403  one name for each row of the tables
from notifications.errors.calling import *  # noqa: F403
from notifications.errors.fields import *  # noqa: F403
from notifications.errors.files import *  # noqa: F403
from notifications.errors.messages import *  # noqa: F403
from notifications.errors.receipts import *  # noqa: F403
from notifications.errors.sandbox import *  # noqa: F403
from notifications.errors.suppressions import *  # noqa: F403
from notifications.errors.templates import *  # noqa: F403

NotificationError = SendingError


def documented(slug: str) -> NotificationError | None:
    """Return the error with this slug as the documentation shows it, or None if the slug is of an older version."""
    kind = next((kind for kind in _kinds(NotificationError) if kind.slug == slug), None)
    return kind.documented() if kind and slug else None


def _kinds(kind: type[NotificationError]) -> Iterator[type[NotificationError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _kinds(below)
