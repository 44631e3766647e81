"""Send the emails of one row, once. The providers of PROVIDERS send them; in development, the sandbox inbox has them.

If no provider accepts an email or the worker dies, a retry follows in 5 minutes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any  # rows of any model
from uuid import UUID

import structlog
from django.db.models import Model
from django.db.models.functions import Now

from notifications.delivery import own_email
from notifications.delivery.messages import OutgoingEmail
from notifications.delivery.own_email import AGAIN_AFTER, Handed

log = structlog.get_logger()


def _ignore(row: Any) -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Notices:
    """One kind of rows with `mail_at`.

    messages: the emails of a row, none if nobody needs one any more
    refused: called if the providers rejected all emails of a row for good
    unless_changed: columns; if one of them changes meanwhile, the row stays due, with another email
    """

    name: str
    model: type[Model]
    messages: Callable[[Any], Sequence[OutgoingEmail]]
    refused: Callable[[Any], None] = _ignore
    unless_changed: tuple[str, ...] = ()

    def waiting(self) -> list[UUID]:
        """Return the ids of the rows whose emails are due."""
        return list(self._due().values_list("pk", flat=True))

    def mail(self, pk: UUID) -> None:
        """Send the emails of a row that is due."""
        if not self._due().filter(pk=pk).update(mail_at=Now() + AGAIN_AFTER):
            return
        row = self.model._default_manager.get(pk=pk)
        handed = [own_email.hand_over(message, about=self.name) for message in self.messages(row)]
        taken = [one is not Handed.NOT_YET for one in handed]  # a permanent rejection is not retried
        if any(taken) or not handed:  # nobody gets the email twice because another person did not get it
            same = {name: getattr(row, name) for name in self.unless_changed}
            self.model._default_manager.filter(pk=pk, **same).update(mail_at=None)
        if handed and all(one is Handed.REFUSED for one in handed):
            self.refused(row)
        log.info("notice.mailed", notice=self.name, row=str(pk), mails=len(handed), taken=sum(taken))

    def _due(self) -> Any:
        return self.model._default_manager.filter(mail_at__lte=Now())
