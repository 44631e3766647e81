"""Validate the files of a request: everything except the virus scan.

Source: docs/reference/files.md §2, §3; docs/reference/sending-api.md §10.
"""

import binascii
import re
import secrets
import string
from collections.abc import Mapping
from dataclasses import dataclass, field

from config.unseen import DIRECTION_CONTROLS
from notifications import errors
from notifications.attachments import file_types
from notifications.models.attachment import MAX_WEEKS

MAX_FILE_BYTES = 2 * 1024 * 1024  # exclusive; Notification Sending API §8
MAX_NAME_CHARACTERS = 100
DEFAULT_WEEKS = 26
SHOWN_CHARACTERS = 1000  # of a caller's value in an error

_OPTIONS = frozenset({"file", "filename", "confirm_email_before_download", "retention_period", "is_csv"})
_WEEKS = re.compile(r"(?P<weeks>[0-9]{1,2}) weeks?", re.IGNORECASE | re.ASCII)
_TOO_MUCH_PADDING = "==="
_WHITE_SPACE = re.compile(r"[\r\n \t]+")  # tools wrap base64 with it
_CONTROLS_AND_DIRECTIONS = re.compile(rf"[\x00-\x1f\x7f-\x9f\u2028\u2029{DIRECTION_CONTROLS}]")
_NAME_ALPHABET = string.ascii_lowercase + string.digits
_NAME_CHARACTERS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRequest:
    """One valid file object of a request. encoded: base64, not decoded yet; filename: None to generate one."""

    encoded: str = field(repr=False)
    filename: str | None
    asks_for_email_address: bool
    weeks: int
    is_csv: bool | None


def is_file(value: object) -> bool:
    """Return whether a personalisation value is a file: an object with the key `file`."""
    return isinstance(value, dict) and "file" in value


def parse(options: Mapping[str, object]) -> FileRequest:
    """Parse one file object. Raises InvalidRequest with all its errors."""
    found: list[errors.NotificationError] = []
    if unknown := options.keys() - _OPTIONS:
        found.append(errors.PropertiesUnexpected(names=unknown))
    if not isinstance(options["file"], str):
        found.append(errors.WrongType(name="file", value=_shown(options["file"]), type="string"))
    for option in ("is_csv", "confirm_email_before_download"):
        if not isinstance(options.get(option), bool | None):
            found.append(errors.FileOptionNotBoolean(name=option, value=_shown(options[option])))
    weeks = _weeks(options.get("retention_period"))
    if weeks is None:
        period = _shown(options["retention_period"])
        found.append(errors.FileRetentionUnsupported(value=period, max_weeks=MAX_WEEKS))
    name = options.get("filename")
    if name is not None and (not isinstance(name, str) or "." not in name):
        found.append(errors.FileNameWithoutExtension())
    if {"is_csv", "filename"} <= options.keys():
        found.append(errors.FileCsvAndName())
    if found or weeks is None:
        raise errors.InvalidRequest(found)
    is_csv = options.get("is_csv")
    return FileRequest(
        encoded=str(options["file"]),
        filename=None if name is None else str(name),
        asks_for_email_address=options.get("confirm_email_before_download") is not False,
        weeks=weeks,
        is_csv=is_csv if isinstance(is_csv, bool) else None,
    )


def decode(request: FileRequest) -> bytes:
    """Return the content after a check of name and size. Raises InvalidFile."""
    data = _from_base64(request.encoded)
    if request.filename is not None:
        _check_name(request.filename)
    if len(data) >= MAX_FILE_BYTES:
        raise errors.FileTooLarge
    if not data:
        raise errors.FileEmpty
    return data


def name_for(request: FileRequest, data: bytes) -> str:
    """Return the given or generated name if it fits the content. Raises TypeNotSupported."""
    found = file_types.detect(data)
    if request.filename is not None:
        extension = extension_of(request.filename)
        if file_types.fits(extension, found):
            return request.filename
        right = file_types.extension_for(data, found, is_csv=None)
        if right is None:
            raise errors.TypeNotSupported(found)
        raise errors.NameDoesNotFit(found, extension=extension, right=right)
    right = file_types.extension_for(data, found, is_csv=request.is_csv)
    if right is None:
        raise errors.TypeNotSupported(found)
    made = "".join(secrets.choice(_NAME_ALPHABET) for _ in range(_NAME_CHARACTERS))
    return f"{made}.{right}"


def extension_of(name: str) -> str:
    """Return the part after the last dot in lower case.

    >>> extension_of("accounts.2026.PDF")
    'pdf'
    """
    return name.rpartition(".")[2].lower()


def _from_base64(text: str) -> bytes:
    encoded = (
        _WHITE_SPACE.sub("", text) if _WHITE_SPACE.search(text) else text
    )  # only if necessary, because it copies the text
    if len(encoded) % 4 or encoded.endswith(_TOO_MUCH_PADDING):  # Python ignores extra padding
        raise errors.NotBase64
    try:
        return binascii.a2b_base64(encoded, strict_mode=True)  # base64.b64decode would copy the text first
    except ValueError as error:
        raise errors.NotBase64 from error


def _check_name(name: str) -> None:
    if len(name) > MAX_NAME_CHARACTERS:
        raise errors.NameTooLong
    if _CONTROLS_AND_DIRECTIONS.search(name):
        raise errors.NameForbidden
    extension = f".{extension_of(name)}"
    if extension not in errors.EXTENSIONS:
        raise errors.TypeNotSupported(extension)


def _weeks(period: object) -> int | None:
    if period is None:
        return DEFAULT_WEEKS
    match = _WEEKS.fullmatch(period.strip()) if isinstance(period, str) else None
    weeks = int(match["weeks"]) if match else 0
    return weeks if 1 <= weeks <= MAX_WEEKS else None


def _shown(value: object) -> str:
    text = errors.shown(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
