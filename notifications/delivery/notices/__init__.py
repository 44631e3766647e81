"""Emails of Signalbox to the people of a service. A row with `mail_at` is due; `KINDS` names the kinds of rows."""

from notifications.delivery.notices import forwards, go_live, limits, reply_to
from notifications.delivery.notices.mailing import Notices

KINDS: dict[str, Notices] = {
    "forward": forwards.NOTICES,
    "go-live": go_live.NOTICES,
    "limit": limits.NOTICES,
    "reply-to": reply_to.NOTICES,
}
