"""Every refusal of the sending API as it is explained: the anchor of its entry on the documentation page, and its fix.

A row stands for a class of `notifications.errors` or, where one class has many messages, for one of those; `…` in a
message stands for a value. Source: Notification Sending API §7; Developer experience §8, §11.
"""

from collections import defaultdict

from notifications.api.problems import calling, messages
from notifications.api.problems.row import Row
from notifications.errors import AuthError, NotificationError

ALL = (
    *calling.AUTHENTICATION,
    *calling.BODY,
    *calling.IDEMPOTENCY,
    *calling.LIMITS,
    *messages.SHAPE,
    messages.NOT_ONE_OF,
    *messages.PHONE_NUMBER,
    *messages.EMAIL_SHAPE,
    *messages.TEMPLATE,
    messages.PERSONALISATION,
    *messages.SMS_RULES,
    *messages.EMAIL_RULES,
    *messages.RECIPIENT,
    messages.NO_RESULT,
    *calling.ANY_ADDRESS,
    *calling.FAILURES,
)

_BY_CLASS: dict[type[NotificationError], list[Row]] = defaultdict(list)
for _one in ALL:
    _BY_CLASS[_one.error].append(_one)


def find(fault: NotificationError) -> Row | None:
    """Return the row that explains a fault; None for messages of a class that has rows for others only."""
    rows = _BY_CLASS.get(type(fault), [])
    if len(rows) == 1 and type(fault) not in {NotificationError, AuthError}:
        return rows[0]
    return next((row for row in rows if row.tells(fault)), None)
