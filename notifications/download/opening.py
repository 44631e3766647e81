"""From an address to the file it opens, or to nothing: the id and the key first, before anything is told.

An id that nobody has does the same work as one with a wrong key, so that neither answer nor time tells them apart.
Source: Files sent by email §6, §9.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from notifications.attachments import links
from notifications.attachments.encryption import SECRET_BYTES, FileKey
from notifications.models import Attachment

_NO_ID = UUID(int=0)
_NO_SECRET = bytes(SECRET_BYTES)
_NO_CHECK = bytes(16)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedFile:
    """A file in the hands of somebody who holds its link."""

    row: Attachment
    key: FileKey

    def address(self, step: str = "", **further: str) -> str:
        """Return the path and query of one of this file's pages: confirm, file, download, and "" where they begin."""
        path = f"/d/{links.write(self.row.id.bytes)}"
        query = urlencode({"key": links.write(self.key.secret), **further})
        return f"{path}/{step}?{query}" if step else f"{path}?{query}"


def open_file(written_id: str, written_keys: Sequence[str]) -> OpenedFile | None:
    """Return the file that this id and this one key open, else None."""
    file_id = links.read_id(written_id)
    secret = links.read_key(written_keys[0]) if len(written_keys) == 1 else None
    row = Attachment.objects.select_related("service").filter(id=file_id or _NO_ID).first()
    key = FileKey(file_id=file_id or _NO_ID, secret=secret or _NO_SECRET)
    fits = key.fits(bytes(row.key_check) if row else _NO_CHECK)
    return OpenedFile(row=row, key=key) if row and secret and fits else None
