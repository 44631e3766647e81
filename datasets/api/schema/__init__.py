"""The OpenAPI part of the data set area: operations, schemas, errors and chapters.

It is loaded when the document is first requested. Source: docs/reference/running.md §8.
"""

from django.conf import settings

from config.docs.parts import ApiPart
from datasets import errors
from datasets.api.schema import operations, shapes
from datasets.api.schema.chapters import CHAPTERS

_TOKEN = (errors.TokenMissing, errors.TokenNotLive, errors.TokenOfAnotherDataSet)
_QUERY_TOKEN = (errors.TokenMissing, errors.TokenNotLive, errors.TokenOfAnotherQuery)
_BODY = (
    *(errors.WrongContentType, errors.WrongContentEncoding, errors.BodyTooLarge, errors.BodyEmpty),
    *(errors.BodyNotUtf8, errors.BodyNotJson, errors.BodyNotGzip),
)
_KEY = (errors.KeyMalformed, errors.KeyReused)
_RECORDS = (errors.TooManyRecords, errors.TooManyValues, errors.NoRecords, errors.RecordsRejected)
_QUERY = errors.InvalidQuery.__subclasses__()  # in the order of the contract's table
_FAILURES = (errors.Busy, errors.DataInternalError)
_WRITING = (*_TOKEN, errors.WritingNotAllowed, errors.NoSuchDataSet, errors.DryRunUnknown, *_BODY)

PART = ApiPart(
    name="Data",
    title="Data sets",
    base_url=settings.DATA_BASE_URL,
    prefixes=("/data/", "/queries/"),
    chapters=CHAPTERS,
    errors={
        "writeRecords": (*_WRITING, *_KEY, *_RECORDS, *_FAILURES),
        "emptyDataSet": (*_WRITING, errors.TooManyValues, errors.NotAnEmptyArray, *_FAILURES),
        "undoEmptying": (*_TOKEN, errors.WritingNotAllowed, errors.NoSuchDataSet, errors.NothingToUndo, *_FAILURES),
        "readRecords": (*_TOKEN, errors.ReadingNotAllowed, errors.NoSuchDataSet, *_QUERY, *_FAILURES),
        "readSavedQuery": (*_QUERY_TOKEN, errors.NoSuchDataSet, errors.NoChart, *_QUERY, *_FAILURES),
    },
    families={
        "Tokens": (*_TOKEN, errors.TokenOfAnotherQuery, errors.WritingNotAllowed, errors.ReadingNotAllowed),
        "Paths": (
            *(errors.NoSuchDataSet, errors.NoChart, errors.NothingHere, errors.MethodNotAllowed),
            *(errors.DataRequestNotUnderstood, errors.DataUseHttps),
        ),
        "Bodies": (errors.DryRunUnknown, *_BODY, *_KEY),
        "Records": (*_RECORDS, errors.NotAnEmptyArray, errors.NothingToUndo),
        "Queries": _QUERY,
        "Failures of data sets": _FAILURES,
    },
    error_schema=shapes.ERROR_BODY,
)
__all__ = ["PART", "operations"]
