"""Every refusal of the sending API as it is explained: the anchor of its entry on the documentation page, and its fix.

A row stands for a class of `notifications.errors` or, where one class has many messages, for one of those; `…` in a
message stands for a value. Source: Notification Sending API §7; Developer experience §8, §11.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from notifications.errors import AuthError, NotificationError
from notifications.problems import calling, files, messages
from notifications.problems.row import Row

FAMILIES: Mapping[str, Sequence[Row]] = {
    "Authentication": calling.AUTHENTICATION,
    "The request": (*calling.ANY_ADDRESS, *calling.BODY, *calling.IDEMPOTENCY),
    "Limits": calling.LIMITS,
    "Reports of providers": calling.REPORTS,
    "Fields and parameters": (*messages.SHAPE, *messages.EMAIL_SHAPE, messages.NOT_ONE_OF, messages.NO_RESULT),
    "Phone numbers": messages.PHONE_NUMBER,
    "Templates and values": (*messages.TEMPLATE, messages.PERSONALISATION),
    "Messages and recipients": (*messages.RECIPIENT, *messages.SMS_RULES, *messages.EMAIL_RULES),
    "Files": files.FILES,
    "Failures": calling.FAILURES,
}
ALL = [row for family in FAMILIES.values() for row in family]

_BY_CLASS: dict[type[NotificationError], list[Row]] = defaultdict(list)
for _one in ALL:
    _BY_CLASS[_one.error].append(_one)


def find(fault: NotificationError) -> Row | None:
    """Return the row that explains a fault; None for messages of a class that has rows for others only."""
    rows = _BY_CLASS.get(type(fault), [])
    if len(rows) == 1 and type(fault) not in {NotificationError, AuthError}:
        return rows[0]
    return next((row for row in rows if row.tells(fault)), None)
