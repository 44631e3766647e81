"""The fields that a change of a row modified, without secrets and recipients."""

import datetime
import hashlib
from collections.abc import Collection
from decimal import Decimal

from django.db import models

from config.audit.masking import mask

_FINGERPRINT_LENGTH = 12


def snapshot(row: models.Model, *, masked: Collection[str] = ()) -> dict[str, object]:
    """Return a row's fields as JSON values: secrets as fingerprints, recipients as masks.

    masked: fields that hold a recipient, besides those that the model itself names in `recipient_fields`
    """
    to_mask = {*masked, *getattr(row, "recipient_fields", ())}
    return {
        field.name.removeprefix("encrypted_"): _as_json(
            field, field.value_from_object(row), is_masked=field.name in to_mask
        )
        for field in row._meta.concrete_fields
    }


def difference(before: dict[str, object], after: dict[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """Return the fields that differ, before and after.

    >>> difference({"name": "a", "live": False}, {"name": "a", "live": True})
    ({'live': False}, {'live': True})
    """
    changed = [name for name in after if before.get(name) != after[name]]
    return {name: before.get(name) for name in changed}, {name: after[name] for name in changed}


def fingerprint(secret: bytes) -> str:
    """Return the start of a secret's hash, so that two secrets can be distinguished."""
    return f"sha256:{hashlib.sha256(secret).hexdigest()[:_FINGERPRINT_LENGTH]}" if secret else ""


def _as_json(field: models.Field, value: object, *, is_masked: bool) -> object:  # type: ignore[type-arg]
    if isinstance(field, models.BinaryField) or field.name in {"password", "token_hash", "code_hash"}:
        raw = value.encode() if isinstance(value, str) else bytes(value or b"")  # type: ignore[call-overload]
        return fingerprint(raw)
    if is_masked and isinstance(value, list):
        return [mask(str(one)) for one in value]
    if is_masked and value:
        return mask(str(value))
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).isoformat()
    if value is None or isinstance(value, (bool, int, float, str, list, dict)):
        return value
    return str(value) if not isinstance(value, Decimal) else format(value, "f")
