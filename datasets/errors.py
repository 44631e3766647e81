"""What the data set area refuses, in the contract's own words; which status each has is for `api/errors.py`.

Source: Data Set contract §10.
"""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_RECORDS = 100_000  # in one body
MAX_FAULTS_SHOWN = 100  # Data Set contract §10


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with one record. `field` is None where the element is no object at all."""

    index: int
    field: str | None
    message: str


class DataSetError(Exception):
    """The class is the kind, `message` goes to the caller."""

    message = "The service failed to answer this request."

    def __init__(self) -> None:
        super().__init__(self.message)


class NothingHere(DataSetError):
    message = "There is nothing at this address."


class NoSuchDataSet(DataSetError):
    message = "There is no such data set."


class TokenMissing(DataSetError):
    message = "Send an access token in the header Authorization: Bearer <token>."


class TokenNotLive(DataSetError):
    message = "The access token is not valid."


class Forbidden(DataSetError):
    """A live token asks for what it may not do."""


class TokenOfAnotherDataSet(Forbidden):
    message = "This access token belongs to another data set."


class WritingNotAllowed(Forbidden):
    message = "This access token does not allow writing."


class ReadingNotAllowed(Forbidden):
    message = "This access token does not allow reading."


class WrongContentType(DataSetError):
    message = "The Content-Type must be application/json."


class KeyMalformed(DataSetError):
    message = "The Idempotency-Key must be 1 to 255 visible ASCII characters."


class KeyReused(DataSetError):
    message = "This Idempotency-Key was used with another body."


class WrongShape(DataSetError):
    """JSON, but not what this method takes."""


class NoRecords(WrongShape):
    message = "The body must be a JSON array of one or more records."


class NotAnEmptyArray(WrongShape):
    message = "The body must be an empty JSON array: PUT can only empty a data set."


class TooManyRecords(DataSetError):
    message = f"The body has more than {MAX_RECORDS} records."


class RecordsRefused(DataSetError):
    """At least one record has a fault, so none is stored.

    faults:      the first of them, in the stated order
    fault_count: of all of them
    refused, count: records with a fault, and all records
    """

    def __init__(self, *, faults: Sequence[Fault], fault_count: int, refused: int, count: int) -> None:
        self.message = f"Records refused: {refused} of {count}. Nothing was stored."
        self.faults = faults
        self.fault_count = fault_count
        self.count = count
        super().__init__()


class QueryRefused(DataSetError):
    """A parameter of a read is wrong."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__()
