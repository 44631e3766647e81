"""Count the rows of a table that get no message because their recipient is suppressed.

Source: docs/reference/suppressions.md §1.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from notifications.bulk_tables.rows import CheckedRow
from notifications.models import KeyType, Suppression
from notifications.submission.callers import Caller
from notifications.submission.templates import TemplateText

ROWS_AT_ONCE = 500  # recipients of one query


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressedRows:
    """Counts rows with the rule that a claim applies. Messages of test keys are never suppressed."""

    caller: Caller
    template: TemplateText

    def count(self, rows: Iterable[CheckedRow]) -> int:
        """Return how many of these rows have no error and a suppressed recipient."""
        if self.caller.key_type == KeyType.TEST:
            return 0
        recipients: dict[bool, list[str]] = {True: [], False: []}
        for row in rows:
            if row.recipient and not row.errors and not row.is_simulated:
                is_subscription = self.template.unsubscribe_link or bool(row.unsubscribe_url)
                recipients[is_subscription].append(row.recipient.key)
        return sum(self._count(some, is_subscription) for is_subscription, some in recipients.items() if some)

    def _count(self, recipients: list[str], is_subscription: bool) -> int:
        found = Suppression.objects.reasons(
            self.caller.service_id, self.template.type, set(recipients), is_subscription=is_subscription
        )
        return sum(recipient in found for recipient in recipients)
