"""Answer a write with `?dry_run=true`: every check, nothing stored. Source: docs/reference/data-sets.md §9."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.rest import dry_runs
from config.rest.dry_runs import Always
from datasets import errors, store
from datasets.api import bodies, keeping
from datasets.api.headers import NOT_STORED, REPLAYED, WARNINGS
from datasets.models import AccessToken, DataSet
from datasets.records.keeping import RejectedElements
from datasets.store.dry_run import CheckedAppend, check_append

_YES = ["true"]
_ONE_REPLACED = {"status": "ok", "records": 1, "new": 0, "replaced": 1}


class AppendDryRunSerializer(serializers.Serializer[Any]):
    """What a POST would do."""

    status = serializers.ChoiceField(choices=["ok"])
    dry_run = Always(True)
    records = serializers.IntegerField(min_value=0, help_text="The records of the body, each `_id` once.")
    new = serializers.IntegerField(min_value=0, help_text="The records that would be added.")
    replaced = serializers.IntegerField(min_value=0, help_text="The stored records that would be replaced.")


class EmptyDryRunSerializer(serializers.Serializer[Any]):
    """What a PUT would do."""

    status = serializers.ChoiceField(choices=["ok"])
    dry_run = Always(True)
    records = serializers.IntegerField(min_value=0, help_text="The records of the body: none.")
    removed = serializers.IntegerField(min_value=0, help_text="The stored records that would be deleted.")


class DeleteDryRunSerializer(serializers.Serializer[Any]):
    """What a DELETE would do."""

    status = serializers.ChoiceField(choices=["ok"])
    dry_run = Always(True)
    removed = serializers.IntegerField(min_value=0, help_text="The stored records that would be deleted.")


def is_asked(request: Request) -> bool:
    """Return whether the write is a dry run. Raises DryRunUnknown, so that a misspelt value cannot write."""
    given = dry_runs.values(request.META.get("QUERY_STRING", ""))
    if given and given != _YES:
        raise errors.DryRunUnknown
    return bool(given)


def append(request: Request, token: AccessToken, *, keeps: bool) -> Response:
    """Return what this POST would store. If its Idempotency-Key has stored the body before, that is nothing."""
    sent = bodies.read(request, with_key=True)
    key = keeping.key_of(sent) if keeps else sent.key
    is_replay = key is not None and store.is_replay(token.data_set_id, key)
    headers = {**NOT_STORED, **(REPLAYED if is_replay else {})}
    rejected, fits = RejectedElements(), store.schemas.fit_of(token.data_set)
    with sent.one_at_a_time():
        records = sent.each_record(token.data_set, rejected, fits) if keeps else sent.records(token.data_set, fits)
        checked = check_append(token.data_set_id, records)
    if is_replay:
        checked = CheckedAppend(records=checked.records, new=0, replaced=0)
    if fits is not None and fits.misfits and not fits.enforces:
        headers[WARNINGS] = str(fits.misfits)
    if rejected.refused:
        return keeping.partly(checked, rejected, headers)
    return Response(AppendDryRunSerializer({"status": "ok", **checked._asdict()}).data, headers=headers)


def change() -> Response:
    """Return what a checked PUT of one record would do."""
    return Response(AppendDryRunSerializer(_ONE_REPLACED).data, headers=NOT_STORED)


def delete(removed: int) -> Response:
    """Return what a DELETE would do."""
    return Response(DeleteDryRunSerializer({"status": "ok", "removed": removed}).data, headers=NOT_STORED)


def empty(request: Request, token: AccessToken) -> Response:
    """Return what this PUT would delete."""
    bodies.read(request, with_key=False).check_empty_array()
    stored = DataSet.objects.filter(pk=token.data_set_id).values_list("record_count", flat=True).first()
    if stored is None:
        raise errors.NoSuchDataSet
    return Response(EmptyDryRunSerializer({"status": "ok", "records": 0, "removed": stored}).data, headers=NOT_STORED)
