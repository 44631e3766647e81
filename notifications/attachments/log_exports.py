"""The CSV files of the message log: written in parts, each an encrypted blob in the store of files."""

from collections.abc import Iterator

from config import encryption
from config.jobs.registry import Batch
from notifications.attachments import store
from notifications.models import LogExport, LogExportPart

AWAY = "the file store is unavailable"


def write(export: LogExport, number: int, text: str, *, last: str) -> None:
    """Store one part. Raises store.StoreAway.

    If the transaction fails after that, the clean-up of orphans deletes the blob.
    """
    name = store.new_name()
    store.write(name, encryption.encrypt(text, table="export", column="part", row=f"{export.pk}/{number}"))
    LogExportPart.objects.create(export=export, number=number, storage_name=name, last=last)


def read(export: LogExport) -> Iterator[bytes]:
    """Yield the parts. Raises store.StoreAway, store.BlobMissing, config.encryption.DecryptionFailed."""
    for part in export.parts.order_by("number"):
        blob = store.read(part.storage_name)
        yield encryption.decrypt(blob, table="export", column="part", row=f"{export.pk}/{part.number}").encode()


def remove_expired() -> Iterator[Batch]:
    """Delete expired files: first their blobs, then their rows."""
    for export in list(LogExport.objects.to_forget()):
        try:
            for name in export.parts.values_list("storage_name", flat=True):
                store.delete(name)
        except store.StoreAway:
            yield Batch(label="CSV files", number=0, error=AWAY)
            return
        export.delete()
        yield Batch(label="CSV files", number=1)
