"""Send emails with files, and read what was stored."""

import base64
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from notifications.attachments import links
from notifications.attachments.encryption import FileKey
from notifications.models import Attachment, KeyType, Notification, Template
from tests.notifications.attachments.samples import CSV
from tests.notifications.calling import Caller, email_template, make_caller

LINK = re.compile(r"http://\S+/d/[\w-]{22}(?:\?key=[\w-]{43})?")


def file_of(data: bytes = CSV, **options: Any) -> dict[str, Any]:
    """Return a file object for the personalisation."""
    return {"file": base64.b64encode(data).decode(), **options}


def file_caller(key_type: KeyType = KeyType.LIVE, **fields: Any) -> Caller:
    """Return a caller whose service has a contact for recipients of files."""
    caller = make_caller(file_contact="help@example.org", **fields)
    return caller if key_type is KeyType.LIVE else make_caller(caller.service, key_type)


def file_template(caller: Caller, files: int = 1) -> Template:
    places = ["((doc))", *(f"((doc{number}))" for number in range(2, files + 1))]
    return email_template(caller, "\n\n".join(places), subject="Your file")


def send(caller: Caller, *files: dict[str, Any], headers: dict[str, str] | None = None, **fields: Any) -> Any:
    """Send one email with these files."""
    values = {("doc" if number == 1 else f"doc{number}"): file for number, file in enumerate(files, 1)}
    template = fields.pop("template", None) or file_template(caller, len(files))
    return caller.send_email(template, headers=headers, personalisation=values, **fields)


def links_in(text: str) -> list[str]:
    return LINK.findall(text)


def key_of(link: str) -> FileKey:
    """Return the id and the secret of a link."""
    parts = urlsplit(link)
    file_id = links.read_id(parts.path.rpartition("/")[2])
    secret = links.read_key(parse_qs(parts.query)["key"][0])
    assert file_id is not None
    assert secret is not None
    return FileKey(file_id=file_id, secret=secret)


def told(response: Any) -> list[tuple[str, str]]:
    return [(entry["error"], entry["message"]) for entry in response.json()["errors"]]


def nothing_is_stored(blobs: Path) -> bool:
    kept = [path for path in blobs.rglob("*") if path.is_file()]
    return not kept and not Attachment.objects.exists() and not Notification.objects.exists()
