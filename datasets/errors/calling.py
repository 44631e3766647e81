"""The errors of a call: its token, its path and its body.

Source: docs/reference/data-sets.md §3 to §5, §8, §10.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Self

from config.rest.api_errors import DataError

MAX_RECORDS = 100_000  # in one body
MAX_VALUES = 5_000_000  # in one body: 100,000 records of 50 fields
MAX_FIELDS_OF_RECORD = 2_000  # the fields of nested objects included; the contract accepts 1,500
MAX_BYTES_OF_RECORD = 4 * 1024**2  # in JSON; a record exists in several forms while it is stored
MAX_VALUES_OF_RECORD = 500_000  # they take 50 MiB once they are parsed
MAX_REJECTIONS_SHOWN = 100


class TokenMissing(DataError):
    slug = "data-token-missing"
    status = 401
    text = "Send an access token in the header Authorization: Bearer <token>."
    cause = "The request has no header `Authorization`, and the data set is not public."
    fix = "Send the header `Authorization: Bearer <token>`."


class TokenNotLive(DataError):
    slug = "data-token-not-valid"
    status = 401
    text = "The access token is not valid."
    cause = "No data set has this token: it is incomplete, was revoked, or has expired."
    fix = "Check the token. If it was revoked or has expired, issue a new one in the console."


class TokenOfAnotherDataSet(DataError):
    slug = "data-token-of-another"
    status = 403
    text = "This access token belongs to another data set."
    cause = "The token is valid, but for another data set than the one in the URL."
    fix = "Use a token of this data set, or check the group and type in the URL."


class TokenOfAnotherQuery(DataError):
    slug = "data-token-of-another-query"
    status = 403
    text = "This token belongs to another saved query."
    fix = "Use a token of this saved query, or check the id in the URL."


class SavedQueryInvalid(DataError):
    slug = "data-saved-query-invalid"
    status = 409
    text = "This saved query is not valid any more. {reason}"
    fix = "Ask an owner of the data set to open the saved query in the console and to save it again."
    cause = "A rule has changed since the saved query was stored."


class NoChart(DataError):
    slug = "data-no-chart"
    status = 404
    text = "This saved query has no chart, no values, or more values than a chart shows. Request .json or .csv."
    fix = "Request `.json` or `.csv`, or let the query show lines or bars."


class WritingNotAllowed(DataError):
    slug = "data-token-may-not-write"
    status = 403
    text = "This access token does not allow writing."
    cause = "The token has only the scope read."
    fix = "Issue a token with the scope write in the console."


class FilledBySignalbox(DataError):
    slug = "data-filled-by-signalbox"
    status = 403
    text = "Signalbox fills this data set with its statistics. Nobody else can write to it or empty it."
    fix = "Write to a data set of your own."


class ReadingNotAllowed(DataError):
    slug = "data-token-may-not-read"
    status = 403
    text = "This access token does not allow reading."
    cause = "The token has only the scope write."
    fix = "Issue a token with the scope read in the console."


class NoServiceToRead(DataError):
    slug = "data-no-service-to-read"
    status = 403
    text = "This reads the statistics of no service."
    cause = "The token or the saved query was made without services."
    fix = "Choose at least one of your services, and issue a new token or save the query again."


class ReadInPart(DataError):
    slug = "data-read-in-part"
    status = 403
    text = "This access token reads only the records of its own services, and this answer is about all records."
    cause = "A manager of services has issued the token for statistics of Signalbox."
    fix = "Read the records. For more, ask an operator for a token that reads the whole data set."


class NoSuchDataSet(DataError):
    slug = "data-no-such-data-set"
    status = 404
    text = "There is no such data set."
    fix = "Check the group and type in the URL. Both are in lower case, as in the console."


class MethodNotAllowed(DataError):
    slug = "data-method-not-allowed"
    status = 405
    text = "This method is not allowed here."
    fix = "Use one of the methods in the response header `Allow`."


class DryRunUnknown(DataError):
    slug = "data-dry-run"
    text = "dry_run must be true."
    fix = "Send `dry_run=true` once to check a write without storing it, or leave out `dry_run`."


class OnErrorUnknown(DataError):
    slug = "data-on-error"
    text = "on_error must be keep."
    fix = (
        "Send `on_error=keep` once to store the valid records of a POST, or leave out `on_error` to store all or none."
    )


class WrongContentType(DataError):
    slug = "data-content-type"
    status = 415
    text = "The Content-Type must be application/json."
    fix = "Send the header `Content-Type: application/json`."


class WrongContentEncoding(DataError):
    slug = "data-content-encoding"
    status = 415
    text = "The Content-Encoding must be gzip or absent."
    fix = "Send the body uncompressed or compressed with gzip."


class BodyTooLarge(DataError):
    slug = "data-too-large"
    status = 413
    text = "The body is larger than {max_bytes} bytes."
    fix = "Send the records in several requests."


class BodyEmpty(DataError):
    slug = "data-empty-body"
    text = "The body is empty."
    fix = "Send a JSON array of records."


class BodyNotUtf8(DataError):
    slug = "data-not-utf8"
    text = "The body is not UTF-8 text."
    fix = "Encode the body as UTF-8."


class BodyNotJson(DataError):
    slug = "data-not-json"
    text = "The body is not valid JSON{place}."
    fix = "Check the position in the message. JSON has no `NaN`, no comments and no trailing commas."


class BodyNotGzip(DataError):
    slug = "data-bad-gzip"
    text = "The body is not valid gzip data."
    fix = "Compress the whole body with gzip, or send it uncompressed without `Content-Encoding`."


class KeyMalformed(DataError):
    slug = "data-idempotency-key"
    text = "The Idempotency-Key must be 1 to 255 visible ASCII characters."
    fix = "Use a key such as a UUID, without spaces."


class KeyReused(DataError):
    slug = "data-idempotency-key-reused"
    status = 422
    text = "This Idempotency-Key was used with another body."
    cause = "The same `Idempotency-Key` came before with another body."
    fix = "Use a new key for each new body. Use the same key only to repeat a request."


class TooManyRecords(DataError):
    slug = "data-too-many-records"
    status = 413
    text = f"The body has more than {MAX_RECORDS} records."
    fix = "Send the records in several requests."


class TooManyValues(DataError):
    slug = "data-too-many-values"
    status = 413
    text = f"The body has more than {MAX_VALUES} values."
    fix = "Send the records in several requests."


class NothingToUndo(DataError):
    slug = "data-nothing-to-undo"
    status = 409
    text = "There is nothing to undo: this data set was not emptied in the last 24 hours."
    fix = "Send the records again with POST."


class NoRecords(DataError):
    slug = "data-no-records"
    text = "The body must be a JSON array of one or more records."
    fix = "Send the records in one array: `[{…}, {…}]`."


@dataclass(frozen=True, slots=True)
class Rejection:
    """The reason why one record is rejected. `field` is None if the element is not an object."""

    index: int
    field: str | None
    message: str


class RecordsRejected(DataError):
    """At least one record is rejected, so none is stored.

    rejections: the first MAX_REJECTIONS_SHOWN, in the contract's order
    rejection_count: the number of all rejections
    refused, count: the number of rejected records, and of all records
    """

    slug = "data-records-refused"
    text = "Records refused: {refused} of {count}. Nothing was stored."
    cause = "At least one record breaks a rule, and a batch is stored as a whole or not at all."
    fix = "Correct the records and fields listed in `errors`, and send the whole batch again."

    def __init__(self, *, rejections: Sequence[Rejection], rejection_count: int, refused: int, count: int) -> None:
        super().__init__(refused=refused, count=count)
        self.rejections = rejections
        self.rejection_count = rejection_count
        self.count = count

    @classmethod
    def documented(cls) -> Self:
        error = super().documented()
        error.rejections, error.rejection_count = [Rejection(0, "_timestamp", "is required")], 1
        return error

    def details(self) -> Mapping[str, object]:
        return {"errors": [asdict(rejection) for rejection in self.rejections], "error_count": self.rejection_count}


class NotAnEmptyArray(DataError):
    slug = "data-not-an-empty-array"
    text = "The body must be an empty JSON array: PUT can only empty a data set."
    fix = "Send `[]` to empty the data set. Send records with POST."
