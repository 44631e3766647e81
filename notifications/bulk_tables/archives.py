"""Open the zip archive of a spreadsheet of recipients."""

import zipfile
from typing import BinaryIO

from config import xml_archives
from config.xml_archives import UnreadableArchive
from notifications.bulk_tables.tables import UnreadableTable

MAX_UNPACKED_BYTES = 256 * 1024 * 1024


class NotASpreadsheet(UnreadableTable):
    """The file is not CSV text or a supported spreadsheet, or it is broken, encrypted or too large."""

    text = "This file cannot be read. Save it as CSV (UTF-8) and upload it again."


def open_archive(file: BinaryIO) -> zipfile.ZipFile:
    """Return the archive after every part was unpacked once. Raises NotASpreadsheet."""
    try:
        return xml_archives.open_archive(file, max_unpacked_bytes=MAX_UNPACKED_BYTES)
    except UnreadableArchive as error:
        raise NotASpreadsheet from error
