"""Daily limits stay exact while bulk sends and single callers send at once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from notifications.models import BulkRow, DailyCounter, LimitKind, Notification
from tests.notifications.calling import Caller, email_template, make_caller

LIMIT, ROWS, BULK_SENDS, SINGLE = 60, 10, 4, 12  # four bulk sends and twelve messages a thread: far above the limit


@pytest.mark.django_db(transaction=True)
def test_eight_bulk_sends_and_eight_single_callers_never_exceed_the_limit() -> None:
    caller = make_caller(daily_limit_email=LIMIT)
    template = str(email_template(caller).id)

    def bulk(thread: int) -> set[int]:
        rows = [["email address"], *([f"p{row}@example.org"] for row in range(ROWS))]
        body = {"template_id": template, "rows": rows}
        return sent(lambda one, n: one.post("/v2/notifications/bulk", {**body, "name": f"{thread} {n}"}), BULK_SENDS)

    def single(thread: int) -> set[int]:
        body = {"template_id": template, "email_address": "a@example.org"}
        return sent(lambda one, n: one.post("/v2/notifications/email", body), SINGLE)

    def sent(post, count: int) -> set[int]:
        try:
            return {post(Caller(caller.key), number).status_code for number in range(count)}
        finally:
            connections.close_all()

    with ThreadPoolExecutor(16) as pool:
        started = [pool.submit(work, thread) for thread in range(8) for work in (bulk, single)]
        statuses = set().union(*(one.result() for one in started))

    # 503: on a busy machine, a request waits 2 s for a connection or a lock, and then nothing is stored.
    assert statuses <= {201, 400, 429, 503}
    counted = DailyCounter.objects.get(service=caller.service, kind=LimitKind.EMAIL).count
    assert counted == BulkRow.objects.count() + Notification.objects.filter(bulk_row=None).count()
    assert LIMIT - ROWS < counted <= LIMIT
