"""Rare rows among many messages are found by their own index, not by reading the whole index of the log.

The statements are those of the page, explained by the database that the tests run on, over a table that has statistics.
"""

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from notifications.admin.messages.paging import Place
from notifications.models import Attachment, Notification, Status
from tests import factories
from tests.notifications.download.sending import send_file

LOG = "/admin/notifications/notification/"
MESSAGES = 2000
FEW = 4
PLACES = ('SELECT "notifications_notification"."created_at" AS', "SELECT * FROM (SELECT")
BY_ID = {"postgresql": "notifications_notification_pkey", "sqlite": "sqlite_autoindex_notifications_notification_1"}


@pytest.fixture
def template(db):
    """Return a template with many messages, a few of them from the console and a few others with a file."""
    template = factories.make_template(factories.make_service(name="Tides"))
    first = factories.make_notification(template, status=Status.DELIVERED, origin="api")
    factories.repeat_notification(first, MESSAGES - FEW)
    for _ in range(FEW):
        factories.make_notification(template, status=Status.DELIVERED, origin="console")
    for filed in Notification.objects.filter(origin="api").order_by("pk")[:FEW]:
        file = send_file(template.service).row
        Attachment.objects.filter(pk=file.pk).update(notification_id=filed.pk, created_at=filed.created_at)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return template


def plans(browser, query, *beginnings):
    """Open the log, and return the query plans of the statements with this start, in order."""
    with CaptureQueriesContext(connection) as queries:
        browser.get(f"{LOG}?{query}")
    explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
    found = []
    with connection.cursor() as cursor:
        for statement in [one["sql"] for one in queries if one["sql"].startswith(beginnings)]:
            cursor.execute(f"{explain} {statement}")
            found.append("\n".join(str(row) for row in cursor.fetchall()))
    return found


@pytest.mark.parametrize("others", [0, 2], ids=["one service", "three services"])
def test_each_page_is_read_from_the_index_of_the_log_in_its_order(console, template, others):
    for _ in range(others):
        factories.make_service()
    first = Notification.objects.order_by("-created_at", "-id").first()
    queries = ("", "key_type=all", "channel__exact=email")

    for parameters in [f"{query}{place}" for query in queries for place in ("", f"&older={Place.of(first)}")]:
        (plan,) = plans(console, parameters, *PLACES)

        assert "notification_by_time" in plan, plan
        # Only the first rows of each service are sorted.
        assert plan.count("Sort Key") == (1 if others and connection.vendor == "postgresql" else 0), plan
        assert plan.count("TEMP B-TREE") == (1 + others if others and connection.vendor == "sqlite" else 0), plan


def test_messages_with_a_file_are_found_from_few_files(console, template):
    (place,) = plans(console, "file=yes", *PLACES)

    assert BY_ID[connection.vendor] in place, place


def test_messages_with_a_file_are_found_among_many(console, template):
    """The last file belongs to a deleted message."""
    filed = list(Notification.objects.filter(origin="console").order_by("pk"))
    filed += Notification.objects.filter(origin="api").order_by("-pk")[:300]
    first = Attachment.objects.first()
    Attachment.objects.all().delete()
    for number, message in enumerate([*filed, Notification(created_at=timezone.now())]):
        first.pk, first.storage_name = uuid.uuid4(), str(number)
        first.notification_id, first.created_at = message.pk, message.created_at
        first.save(force_insert=True)

    page = console.get(f"{LOG}?file=yes")

    assert page.context["cl"].counters[0]["shown"] == str(len(filed))
    assert {row.pk for row in page.context["cl"].result_list} <= {message.pk for message in filed}
    assert page.context["cl"].older_url


def test_without_files_nothing_is_found(console, template):
    Attachment.objects.all().delete()

    assert console.get(f"{LOG}?file=yes").context["cl"].result_count == 0
