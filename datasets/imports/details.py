"""Questions, preview and first rejections of an import. They hold values of the file, so the row has them encrypted."""

from dataclasses import asdict, dataclass, field
from typing import Any

import msgspec

from config import encryption
from datasets.models import DataImport

Json = dict[str, Any]  # Any: JSON
_TABLE, _COLUMN = "datasets_dataimport", "encrypted_details"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportDetails:
    """names: of the columns; preview: the first rows as they would be stored; errors: the first rejections"""

    questions: list[Json] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    preview: list[Json] = field(default_factory=list)
    errors: list[Json] = field(default_factory=list)


def of(run: DataImport) -> ImportDetails:
    if run.encrypted_details is None:
        return ImportDetails()
    text = encryption.decrypt(bytes(run.encrypted_details), table=_TABLE, column=_COLUMN, row=str(run.pk))
    return ImportDetails(**msgspec.json.decode(text))


def encrypted(run: DataImport, details: ImportDetails) -> bytes:
    text = msgspec.json.encode(asdict(details)).decode()
    return encryption.encrypt(text, table=_TABLE, column=_COLUMN, row=str(run.pk))
