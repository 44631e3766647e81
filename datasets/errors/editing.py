"""The errors of single records, of deletions by a condition and of schemas.

Source: docs/reference/data-sets.md §20, §22.
"""

from config.rest.api_errors import DataError

MAX_DELETED = 100_000  # records that one call deletes by a condition
MAX_REASON = 200  # characters of the reason for a change


class NoSuchRecord(DataError):
    slug = "data-no-such-record"
    status = 404
    text = "There is no record with this _id."
    fix = "Check the `_id` in the URL, which is percent-encoded. Add new records with POST."


class WhereMissing(DataError):
    slug = "data-where-missing"
    text = "where is required."
    fix = "Send a condition in `where`. To delete all records, send PUT with `[]`."


class TooManyToDelete(DataError):
    slug = "data-too-many-to-delete"
    text = f"The condition matches more than {MAX_DELETED} records. Nothing was deleted."
    fix = "Delete the records in parts, or in the console, where a background job deletes any number."


class RecordHasChanged(DataError):
    slug = "data-record-has-changed"
    status = 412
    text = "The record has changed since you read it."
    cause = "Another program or person has changed the record after you read the `ETag` that `If-Match` names."
    fix = "Read the record again, and send its `ETag` in `If-Match`."


class IdDiffers(DataError):
    slug = "data-id-differs"
    text = "The _id in the body differs from the _id in the URL."
    fix = "Send the `_id` of the URL, or leave it out."


class IdFieldsDiffer(DataError):
    slug = "data-id-fields-differ"
    text = "The fields that make the _id cannot be changed."
    fix = "Delete the record, and send the corrected one with POST."


class NotARecord(DataError):
    slug = "data-not-a-record"
    text = "The body must be one JSON object: the whole record."
    fix = "Send the record as an object, not in an array. It replaces the stored record."


class SchemaNotValid(DataError):
    slug = "data-schema-not-valid"
    text = "The schema cannot be used. {reason}"
    fix = "Correct the schema as the message states. It is a JSON Schema 2020-12 of one record."


class SchemaTakesTooLong(DataError):
    slug = "data-schema-too-long"
    text = "The records take too long to check against the schema. Nothing was stored."
    fix = "Send fewer records in one request, or give a simpler schema."


class SchemaModeUnknown(DataError):
    slug = "data-schema-mode"
    text = "mode must be off, warn or enforce."
    fix = "Send `mode` once with one of these words, or leave it out to keep the current mode."


class ReasonMalformed(DataError):
    slug = "data-change-reason"
    text = f"Change-Reason must be percent-encoded UTF-8 of at most {MAX_REASON} characters on one line."
    fix = "Percent-encode the reason, such as `wrong%20month`, and shorten it."
