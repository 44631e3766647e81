"""Find the file of a link by its id and key.

An unknown id takes the same work as a wrong key, so neither the answer nor its time reveals whether an id exists.
Source: docs/reference/files.md §6, §9.
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
    """A file and the key from its link. is_preview: the pages have a note, and their forms cannot be sent"""

    row: Attachment
    key: FileKey
    is_preview: bool = False

    def url(self, page: str = "", **further: str) -> str:
        """Return the path and query of a page of this file: confirm, file, download, or "" for the landing page."""
        path = f"/d/{links.write(self.row.id.bytes)}"
        query = urlencode({"key": links.write(self.key.secret), **further})
        return f"{path}/{page}?{query}" if page else f"{path}?{query}"


def open_file(written_id: str, written_keys: Sequence[str]) -> OpenedFile | None:
    """Return the file if the id exists and the key is right."""
    file_id = links.read_id(written_id)
    secret = links.read_key(written_keys[0]) if len(written_keys) == 1 else None
    row = Attachment.objects.select_related("service").filter(id=file_id or _NO_ID).first()
    key = FileKey(file_id=file_id or _NO_ID, secret=secret or _NO_SECRET)
    fits = key.fits(bytes(row.key_check) if row else _NO_CHECK)
    return OpenedFile(row=row, key=key) if row and secret and fits else None
