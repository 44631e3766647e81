"""Clean-up deletes rows after the retention of the service, and tables that nobody sent."""

from datetime import timedelta

import pytest
from django.utils import timezone

from config.jobs import retention
from config.jobs.models import Trigger
from notifications.delivery.claiming import claim_due
from notifications.management.clean_up_bulk import BULK_SENDS
from notifications.models import BulkRow, BulkSend, BulkState, Channel
from tests.factories import make_bulk_send, make_notification, make_service, make_template

pytestmark = pytest.mark.django_db


def ended(days: int, **fields: object) -> BulkSend:
    ended_at = timezone.now() - timedelta(days=days)
    bulk_send = make_bulk_send(
        make_template(make_service(retention_days=7)),
        **{"state": BulkState.FINISHED, "processing_finished": ended_at, **fields},
    )
    BulkRow.objects.create(bulk_send=bulk_send, number=2)
    return bulk_send


def test_rows_go_after_the_retention_and_the_bulk_send_after_that_of_the_audit():
    recent, old, ancient = ended(6), ended(8), ended(800)
    draft = ended(0, state=BulkState.DRAFT, processing_finished=None, updated_at=timezone.now() - timedelta(hours=25))
    new_draft = ended(0, state=BulkState.DRAFT, processing_finished=None)
    running = ended(0, state=BulkState.IN_PROGRESS, processing_finished=None)

    run = retention.run(BULK_SENDS, Trigger.CLOCK)

    assert run.error == ""
    assert set(BulkSend.objects.all()) == {recent, old, new_draft, running}
    assert {row.bulk_send for row in BulkRow.objects.all()} == {recent, new_draft, running}
    assert not {ancient, draft} & set(BulkSend.objects.all())


def test_an_email_has_the_service_name_of_the_acceptance():
    bulk_send = make_bulk_send(service_name="Old name")
    row = BulkRow.objects.create(bulk_send=bulk_send, number=2)
    make_notification(bulk_send.template, bulk_row=row)

    [claim] = claim_due(Channel.EMAIL, 5)

    assert claim.service_name == "Old name"
