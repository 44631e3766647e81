"""Answer a POST with `?on_error=keep`: store the valid records and keep the others.

Source: docs/reference/data-sets.md §21.
"""

import hashlib
from typing import Any

import structlog
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.metrics import registry
from config.rest import dry_runs
from config.rest.dry_runs import Always
from config.rest.idempotency import IdempotencyKey
from datasets import errors, store
from datasets.api import bodies, callers
from datasets.api.headers import NOT_STORED, REPLAYED
from datasets.api.serializers import StoredSerializer
from datasets.models import AccessToken
from datasets.records.keeping import RejectedElements
from datasets.store.dry_run import CheckedAppend

_YES = ["keep"]
_STORED = StoredSerializer({"status": "ok"}).data
_MULTI_STATUS = 207


class PartialErrorSerializer(serializers.Serializer[Any]):
    """One error of a record."""

    index = serializers.IntegerField(min_value=0, help_text="The index of the record, from 0.")
    field = serializers.CharField(allow_null=True, help_text="The field, or null if the element is not an object.")
    message = serializers.CharField(help_text="The error, such as `is required`.")


class PartlyStoredSerializer(serializers.Serializer[Any]):
    """The records that were stored, and the first 100 errors of the others."""

    status = serializers.ChoiceField(choices=["partial"])
    stored = serializers.IntegerField(min_value=0, help_text="The stored records, as they were sent.")
    message = serializers.CharField(help_text="`Records stored: 98 of 100. Records refused: 2.`")
    errors = PartialErrorSerializer(many=True)  # type: ignore[assignment]  # a field, not the property
    error_count = serializers.IntegerField(min_value=1, help_text="How many errors.")


class PartlyDryRunSerializer(PartlyStoredSerializer):
    """What a POST would store, and the first 100 errors of the other records."""

    dry_run = Always(True)
    records = serializers.IntegerField(min_value=0, help_text="The valid records, each `_id` once.")
    new = serializers.IntegerField(min_value=0, help_text="The records that would be added.")
    replaced = serializers.IntegerField(min_value=0, help_text="The stored records that would be replaced.")


def is_asked(request: Request) -> bool:
    """Return whether valid records are to be stored. Raises OnErrorUnknown, so that a misspelt value stores nothing."""
    given = dry_runs.values(request.META.get("QUERY_STRING", ""), name="on_error")
    if given and given != _YES:
        raise errors.OnErrorUnknown
    return bool(given)


def append(request: Request, token: AccessToken) -> Response:
    """Store the valid records of the body and return 200 if these are all, otherwise 207."""
    fits = store.schemas.fit_of(token.data_set)
    with callers.logging_write_errors(token, fits):
        sent = bodies.read(request, with_key=True)
        key = key_of(sent)
        rejected = RejectedElements()
        with sent.one_at_a_time():
            checked = sent.each_record(token.data_set, rejected, fits)
            if key and store.is_replay(token.data_set_id, key):
                list(checked)  # the answer is the same as before
                is_new = False
            else:
                is_new = store.partly.append_valid(token, checked, rejected, request_id=callers.request_id(), key=key)
    headers = NOT_STORED if is_new else {**NOT_STORED, **REPLAYED}
    stored = rejected.count - rejected.refused
    if is_new:
        headers = {**headers, **callers.schema_warnings(token, fits)}
        structlog.contextvars.bind_contextvars(records=stored)
        registry.RECORDS.add("written", number=stored)
    if not rejected.refused:
        return Response(_STORED, headers=headers)
    if is_new:
        registry.RECORDS.add("refused", number=rejected.refused)
        store.log_write_error(
            token.data_set_id,
            status=_MULTI_STATUS,
            reason=_message(rejected),
            rejection=rejected.shown[0],
            request_id=callers.request_id(),
        )
    return Response(PartlyStoredSerializer(_answer(rejected)).data, status=_MULTI_STATUS, headers=headers)


def key_of(sent: bodies.SentBody) -> IdempotencyKey | None:
    """Return the key of a write that keeps: the same body without `on_error` is another request."""
    key = sent.key
    return key and key._replace(fingerprint=hashlib.sha256(f"{key.fingerprint} keep".encode()).hexdigest())


def partly(checked: CheckedAppend, rejected: RejectedElements, headers: dict[str, str]) -> Response:
    """Return the answer of a dry run that would keep records back."""
    shown = PartlyDryRunSerializer({**_answer(rejected), **checked._asdict()}).data
    return Response(shown, status=_MULTI_STATUS, headers=headers)


def _answer(rejected: RejectedElements) -> dict[str, object]:
    shown = rejected.error().details()
    stored = rejected.count - rejected.refused
    return {"status": "partial", "stored": stored, "message": _message(rejected), **shown}


def _message(rejected: RejectedElements) -> str:
    stored = rejected.count - rejected.refused
    return f"Records stored: {stored} of {rejected.count}. Records refused: {rejected.refused}."
