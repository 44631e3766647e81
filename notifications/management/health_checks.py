"""The checks of the virus scanner and the file store for `manage.py doctor`. Source: docs/reference/files.md §5, §8."""

import re
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from django.conf import settings

from config.areas import Finding
from notifications.attachments import scanning, store

SIGNATURES_ARE_OLD_AFTER = timedelta(days=3)

_SIGNATURES = re.compile(r"ClamAV [^/]+/\d+/(?P<at>\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4})")


def scanner() -> Finding:
    """Check the version of the scanner and the age of its signatures."""
    if settings.SCANNER == scanning.NOBODY:
        seen = "none: files are checked for the test virus only"
        fix = (
            "Set SCANNER: production does not start without a scanner." if settings.ENVIRONMENT == "production" else ""
        )
        return Finding(name="scanner", seen=seen, fix=fix)
    try:
        version = scanning.version()
    except scanning.NoVerdict as failure:
        fix = "Start clamd, or correct SCANNER: until then emails with files get status 500."
        return Finding(name="scanner", seen=str(failure), fix=fix)
    is_old = is_outdated(version, datetime.now(UTC))
    fix = "Run freshclam: the signatures are older than 3 days." if is_old else ""
    return Finding(name="scanner", seen=version, fix=fix)


def is_outdated(version: str, now: datetime) -> bool:
    """Return whether clamd's signatures are older than 3 days. A custom database has no date.

    >>> is_outdated("ClamAV 1.4.6/27800/Thu Nov 12 08:00:00 2026", datetime(2026, 11, 21, tzinfo=UTC))
    True
    >>> is_outdated("ClamAV 1.4.6", datetime(2026, 11, 21, tzinfo=UTC))
    False
    """
    match = _SIGNATURES.match(version)
    if match is None:
        return False
    made_at = datetime.strptime(match["at"], "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    return now - made_at > SIGNATURES_ARE_OLD_AFTER


def file_store() -> Finding:
    """Write, read and delete a blob."""
    name, blob = store.new_name(), uuid4().bytes
    try:
        store.write(name, blob)
        is_same = store.read(name) == blob
        store.delete(name)
    except (store.StoreAway, store.BlobMissing) as error:
        cause = type(error.__cause__ or error).__name__
        fix = "Start the store, or correct FILES_STORAGE and its settings: until then emails with files get status 500."
        return Finding(name="files", seen=f"{settings.FILES_STORAGE}: {cause}", fix=fix)
    fix = "" if is_same else "Check the store: it returned other data than were written."
    return Finding(name="files", seen=f"{settings.FILES_STORAGE}, written and read", fix=fix)
