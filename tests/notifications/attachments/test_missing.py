"""A row whose blob is missing in the store is reported and repaired, unless the folder is not mounted."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
import structlog
import time_machine
from django.utils import timezone

from config.audit.models import AuditEvent
from notifications.attachments import expiry, store
from notifications.models import Attachment, AttachmentState, Service
from tests.factories import make_service
from tests.notifications.attachments.test_expiry import make_file

pytestmark = pytest.mark.django_db


@pytest.fixture
def service() -> Service:
    return make_service()


def sweep(hours: float = 0, **age: timedelta) -> list[dict[str, object]]:
    """Run the nightly rule some hours from now and return its log events."""
    with time_machine.travel(timezone.now() + timedelta(hours=hours)), structlog.testing.capture_logs() as logs:
        list(expiry.remove_orphans(**age))
    return [dict(entry) for entry in logs]


def state_of(row: Attachment) -> AttachmentState:
    row.refresh_from_db()
    return row.state(timezone.now())


def test_a_missing_blob_is_reported_at_once_and_its_row_closed_after_a_day(service: Service) -> None:
    lost, kept = make_file(service, blob=None), make_file(service)

    logs = sweep()

    told = {"event": "attachments.blobs_missing", "count": 1, "attachment_ids": [str(lost.pk)], "is_believed": True}
    assert logs == [told | {"log_level": "error"}]
    assert state_of(lost) == AttachmentState.AVAILABLE
    sweep(hours=25)
    assert (state_of(lost), state_of(kept)) == (AttachmentState.REMOVED, AttachmentState.AVAILABLE)
    assert lost.name is None
    event = AuditEvent.objects.get(object_id=str(lost.pk))
    assert (event.verb, event.service_id) == ("gave_up", service.id)
    assert sweep(hours=50) == []


def test_a_blob_that_reappears_is_not_reported_again(service: Service) -> None:
    back, _ = make_file(service, blob=None), make_file(service)
    sweep()
    store.write(back.storage_name, b"from a backup")

    sweep(hours=25)
    store.delete(back.storage_name)
    sweep(hours=26)

    assert state_of(back) == AttachmentState.AVAILABLE


def test_a_folder_that_is_not_mounted_closes_no_row(service: Service, blobs: Path) -> None:
    rows = [make_file(service) for _ in range(3)]
    elsewhere = blobs.with_name("elsewhere")
    sweep()
    shutil.move(blobs, elsewhere)
    blobs.mkdir()
    try:
        sweep(hours=1)
        sweep(hours=49)
    finally:
        shutil.rmtree(blobs)
        shutil.move(elsewhere, blobs)

    assert {state_of(row) for row in rows} == {AttachmentState.AVAILABLE}
    sweep(hours=50)
    assert not Attachment.objects.exclude(missing_since=None).exists()


def test_the_command_closes_the_row_at_once(service: Service) -> None:
    lost = make_file(service, blob=None)

    sweep(hours=0.1, older_than=timedelta(0))

    assert state_of(lost) == AttachmentState.REMOVED


def test_an_expired_or_withdrawn_file_is_not_reported(service: Service) -> None:
    make_file(service, days=-1, blob=None)
    make_file(service, blob=None, withdrawn_at=timezone.now())

    assert sweep() == []
