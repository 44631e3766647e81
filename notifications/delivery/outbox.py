"""The due messages of one channel, as a queue for `Drain`."""

import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

import structlog
from django.db import DatabaseError, close_old_connections

from notifications.delivery import pauses, providers
from notifications.delivery.claiming import Claim, RecordedMessage, claim_due, put_back, record_sent
from notifications.delivery.hand_over import HandOver
from notifications.models import Channel

SLOW_SEND_SECONDS = 0.05  # after a slower send, one more statement costs little, so the acceptance is recorded alone
RECORD_SECONDS = 0.5  # an acceptance waits no longer than this for the rest of its batch, unless the next send is slow
# Time for another transaction to release the row, or for a switchover.
RECORD_AGAIN_AFTER_SECONDS = (0.2, 0.8, 2.0, 3.0)

log = structlog.get_logger()


class Outbox:
    """Records the acceptances of a fast provider in batches and every other outcome immediately."""

    def __init__(self, channel: Channel, *, slow_send_seconds: float = SLOW_SEND_SECONDS) -> None:
        self._channel, self._slow_send_seconds = channel, slow_send_seconds
        self._accepted: deque[HandOver] = deque()  # `Drain` records from a second thread if a message is slow
        self._since = 0.0

    def claim(self, size: int, served: Sequence[UUID]) -> list[Claim]:
        return [] if self._is_stopped() else claim_due(self._channel, size, served)

    def owner_of(self, item: Claim) -> UUID:
        return item.notification.service_id

    def work(self, item: Claim) -> timedelta | None:
        if self._is_stopped():  # since the claim: the rest of a batch may take seconds
            item.put_back()
            return None
        if self._accepted and time.monotonic() - self._since > RECORD_SECONDS:
            self.record()
        hand_over = HandOver(item)
        began = time.monotonic()
        hand_over.run()
        if hand_over.sent:
            if not self._accepted:
                self._since = time.monotonic()
            self._accepted.append(hand_over)
            if time.monotonic() - began > self._slow_send_seconds:
                self.record()
        return hand_over.retry_in

    def record(self) -> None:
        """Record the acceptances. Retry for 6 s, because a message without a record is sent twice."""
        accepted: list[HandOver] = []
        with suppress(IndexError):
            while True:
                accepted.append(self._accepted.popleft())
        batch = [one.sent for one in accepted if one.sent]
        if not batch:
            return
        try:
            recorded = self._record(batch)
        except DatabaseError:
            self._accepted.extend(accepted)  # recorded again with the next batch
            raise
        for one, is_recorded in zip(accepted, recorded, strict=True):
            one.note_recorded(is_recorded=is_recorded)

    def _is_stopped(self) -> bool:
        return pauses.is_stopped(self._channel, providers.names_for(self._channel))

    def _record(self, batch: Sequence[RecordedMessage]) -> list[bool]:
        for wait_seconds in RECORD_AGAIN_AFTER_SECONDS:
            try:
                return record_sent(batch)
            except DatabaseError as error:
                log.warning("notification.not_recorded", messages=len(batch), exc_info=error)
                close_old_connections()
                time.sleep(wait_seconds)
        return record_sent(batch)

    def put_back(self, items: Sequence[Claim]) -> None:
        put_back(items)
