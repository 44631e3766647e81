"""The CSV files of reports: written in parts, each an encrypted blob in the store of files."""

from collections.abc import Iterator

from config import encryption
from config.jobs.registry import Batch
from notifications.attachments import store
from notifications.models import ReportPart, ReportRequest

AWAY = "the file store is unavailable"


def write(report: ReportRequest, number: int, text: str, *, last: str) -> None:
    """Store one part. Raises store.StoreAway.

    If the transaction fails after that, the clean-up of orphans deletes the blob.
    """
    name = store.new_name()
    store.write(name, encryption.encrypt(text, table="report", column="part", row=f"{report.pk}/{number}"))
    ReportPart.objects.create(report=report, number=number, storage_name=name, last=last)


def read(report: ReportRequest) -> Iterator[bytes]:
    """Yield the parts. Raises store.StoreAway, store.BlobMissing, config.encryption.DecryptionFailed."""
    for part in report.parts.order_by("number"):
        blob = store.read(part.storage_name)
        yield encryption.decrypt(blob, table="report", column="part", row=f"{report.pk}/{part.number}").encode()


def remove_expired() -> Iterator[Batch]:
    """Delete expired files: first their blobs, then their rows."""
    for report in list(ReportRequest.objects.to_forget()):
        try:
            for name in report.parts.values_list("storage_name", flat=True):
                store.delete(name)
        except store.StoreAway:
            yield Batch(label="reports", number=0, error=AWAY)
            return
        report.delete()
        yield Batch(label="reports", number=1)
