"""The schemas of data sets: give one, check new records against it, and count how they differ.

Source: docs/reference/data-sets.md §22.
"""

from django.db import transaction

from config import audit
from config.databases.prepared import Statement
from config.invalid import InvalidValue
from datasets.models import DataSet, DataSetSchema, FieldDrift
from datasets.records.schemas import documents
from datasets.records.schemas.documents import Schema
from datasets.records.schemas.fitting import SchemaFit

# Raw SQL: with the ORM, this query takes as long as the check of 500 records.
_GIVEN = Statement("SELECT given FROM datasets_datasetschema WHERE data_set_id = %s")
NOTHING_YET: Schema = {"$schema": documents.DIALECT, "type": "object"}
NOTHING_LEARNED = "The data set has no records from which a schema could be learned. Give a schema first."


def fit_of(data_set: DataSet) -> SchemaFit | None:
    """Return the rule for new records, or None if their schema is not checked."""
    if data_set.schema_mode == DataSet.SchemaMode.OFF:
        return None
    found = _GIVEN.first(data_set.pk)
    if found is None or not found[0]:
        return None
    return SchemaFit(found[0], enforces=data_set.schema_mode == DataSet.SchemaMode.ENFORCE)


def enforced(data_set: DataSet) -> str:
    """Return the schema as a text if records that do not fit it are refused, or else a blank text."""
    if data_set.schema_mode != DataSet.SchemaMode.ENFORCE:
        return ""
    found = _GIVEN.first(data_set.pk)
    return "" if found is None else found[0] or ""


def current(data_set: DataSet) -> DataSetSchema:
    """Return the stored row, or an unsaved one."""
    return DataSetSchema.objects.filter(data_set=data_set).first() or DataSetSchema(data_set=data_set)


def set_schema(data_set: DataSet, schema: Schema | None, mode: str, *, by: audit.Actor) -> None:
    """Give a data set this schema and mode, with an audit entry if one of them changes.

    schema: a valid one, or None for the learned one, which then stays as it is now unless the mode is off
    Raises InvalidValue if nothing was learned yet.
    """
    with transaction.atomic():
        locked = DataSet.objects.select_for_update(no_key=True).filter(pk=data_set.pk).first()
        if locked is None:
            return
        row = current(data_set)
        given = "" if schema is None else documents.write_schema(schema)
        if not given and mode != DataSet.SchemaMode.OFF:
            given = row.learned
            if not given:
                raise InvalidValue(NOTHING_LEARNED)
        before = {"schema_mode": locked.schema_mode, "schema": bool(row.given)}
        has_changed = row.given != given or locked.schema_mode != mode
        row.given = given
        row.save()
        DataSet.objects.filter(pk=data_set.pk).update(schema_mode=mode)
        data_set.schema_mode = mode
        if has_changed:
            after = {"schema_mode": mode, "schema": bool(given)}
            audit.record(by, "changed_schema", data_set, before=before, after=after)


def count(data_set_id: int, fit: SchemaFit) -> None:
    """Add the misfits of one write to the counts of the day."""
    FieldDrift.objects.add(data_set_id, dict(fit.drifts))
