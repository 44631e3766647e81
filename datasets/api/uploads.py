"""Receive the file of an import into a temporary file. Source: docs/reference/imports.md §1."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from django.utils.http import parse_header_parameters
from rest_framework.request import Request

from config.rest import body, strict_json
from config.rest.strict_json import UnreadableJSON
from datasets import errors
from datasets.imports.reading.settings import MAX_BYTES as MAX_SETTINGS_BYTES

MULTIPART = "multipart/form-data"
TYPES = frozenset(
    {
        *("text/csv", "text/tab-separated-values", "text/plain", "application/csv", "application/vnd.ms-excel"),
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.oasis.opendocument.spreadsheet",
        *(
            "application/json",
            "application/x-ndjson",
            "application/ndjson",
            "application/jsonl",
            "application/x-jsonlines",
        ),
        *("application/vnd.apache.parquet", "application/x-parquet", "application/parquet"),
        *("application/gzip", "application/x-gzip", "application/octet-stream", MULTIPART),
    }
)
_CODINGS = ("gzip", "x-gzip")
_GZIP = b"\x1f\x8b"
_SPARE_BYTES = 1024 * 1024  # of the borders and the settings of a multipart body
_TABS = {"text/tab-separated-values": "\t"}


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedFile:
    """A file with its name and the settings that came with it."""

    path: Path
    name: str
    given: object


@contextmanager
def received(request: Request) -> Iterator[UploadedFile]:
    """Check the headers and keep the file until the end of the context.

    Raises ImportTypeUnknown, ImportFileEmpty, ImportPartMissing, ImportSettingsWrong, UnreadableBody.
    """
    kind = str(request.META.get("CONTENT_TYPE", "")).partition(";")[0].strip().lower()
    if not kind and body.length(request.META) == 0:
        raise errors.ImportFileEmpty
    if kind not in TYPES:
        raise errors.ImportTypeUnknown
    body.check_coding(request.META, allowed=() if kind == MULTIPART else _CODINGS)
    folder_of_work = Path(settings.IMPORT_WORK_DIR)
    folder_of_work.mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder_of_work, prefix="received-") as folder:
        sent = Path(folder) / "sent"
        spare = _SPARE_BYTES if kind == MULTIPART else 0
        with sent.open("wb") as target:
            for block in body.blocks(request.META, max_bytes=settings.IMPORT_MAX_BYTES + spare):
                target.write(block)
        if kind == MULTIPART:
            yield _parts(request, sent)
            return
        _check_gzip(request, sent)
        given = {"delimiter": _TABS[kind]} if kind in _TABS else {}
        yield _checked(UploadedFile(path=sent, name=_name_of(request), given=given))


def _parts(request: Request, sent: Path) -> UploadedFile:
    """Return the file and the settings of a multipart body."""
    meta: dict[str, Any] = {**request.META, "CONTENT_LENGTH": str(sent.stat().st_size)}
    handler = TemporaryFileUploadHandler(request._request)
    with sent.open("rb") as content:
        try:
            fields, parts = MultiPartParser(meta, content, [handler], "utf-8").parse()
        except (MultiPartParserError, SuspiciousOperation, ValueError) as error:
            raise errors.ImportPartMissing from error
    found, given = parts.getlist("file"), fields.getlist("settings")
    if not given and "settings" in parts:
        given = [one.read(MAX_SETTINGS_BYTES + 1) for one in parts.getlist("settings")]
    if len(found) != 1 or len(given) > 1:
        raise errors.ImportPartMissing
    path = sent.with_name("file")
    with path.open("wb") as target:
        shutil.copyfileobj(found[0].file, target)
    value: object = {}
    if given:
        text = given[0].encode() if isinstance(given[0], str) else given[0]
        if len(text) > MAX_SETTINGS_BYTES:
            raise errors.ImportSettingsWrong(reason=f"settings: must be at most {MAX_SETTINGS_BYTES} bytes")
        try:
            value = strict_json.loads(text, skip_mark=True, storable=True)
        except UnreadableJSON as error:
            raise errors.ImportSettingsWrong(reason="settings: is not valid JSON") from error
    return _checked(UploadedFile(path=path, name=found[0].name or "", given=value))


def _checked(found: UploadedFile) -> UploadedFile:
    size = found.path.stat().st_size
    if not size:
        raise errors.ImportFileEmpty
    if size > settings.IMPORT_MAX_BYTES:
        raise body.UnreadableBody(body.BodyReason.TOO_LARGE)
    return found


def _check_gzip(request: Request, sent: Path) -> None:
    coding = str(request.META.get("HTTP_CONTENT_ENCODING", "")).strip().lower()
    if coding in _CODINGS:
        with sent.open("rb") as file:
            if file.read(2) not in {_GZIP, b""}:
                raise body.UnreadableBody(body.BodyReason.BAD_GZIP)


def _name_of(request: Request) -> str:
    """Return the name in `Content-Disposition`, or nothing."""
    try:
        parameters = parse_header_parameters(request.META.get("HTTP_CONTENT_DISPOSITION", ""))[1]
    except (ValueError, LookupError):
        return ""
    return str(parameters.get("filename", ""))
