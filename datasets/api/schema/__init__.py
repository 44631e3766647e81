"""The OpenAPI part of the data set area: operations, schemas, errors and chapters.

It is loaded when the document is first requested. Source: docs/reference/running.md §8.
"""

from django.conf import settings

from config.docs.parts import ApiPart
from datasets import errors
from datasets.api.schema import imports, operations, record_operations, schema_operations, shapes
from datasets.api.schema.chapters import CHAPTERS

_TOKEN = (errors.TokenMissing, errors.TokenNotLive, errors.TokenOfAnotherDataSet)
_QUERY_TOKEN = (errors.TokenMissing, errors.TokenNotLive, errors.TokenOfAnotherQuery)
_BODY = (
    *(errors.WrongContentType, errors.WrongContentEncoding, errors.BodyTooLarge, errors.BodyEmpty),
    *(errors.BodyNotUtf8, errors.BodyNotJson, errors.BodyNotGzip),
)
_KEY = (errors.KeyMalformed, errors.KeyReused)
_RECORDS = (
    *(errors.TooManyRecords, errors.TooManyValues, errors.NoRecords, errors.RecordsRejected),
    errors.SchemaTakesTooLong,
)
_ONE = (errors.ReasonMalformed, errors.NoSuchRecord, errors.RecordHasChanged)
_ONE_BODY = (
    *(errors.IdDiffers, errors.IdFieldsDiffer, errors.TooManyValues, errors.RecordsRejected),
    errors.SchemaTakesTooLong,
)
_WHERE = (
    *(errors.ParameterRepeated, errors.ParameterWithNul),
    *(errors.ConditionTooLong, errors.ConditionInvalid, errors.ConditionTooLarge),
)
_IMPORTING = (*_TOKEN, errors.WritingNotAllowed, errors.NoSuchDataSet)
_IMPORTS = (
    *(errors.ImportTypeUnknown, errors.ImportFileEmpty, errors.ImportPartMissing, errors.ImportSettingsWrong),
    *(errors.ImportChangeWrong, errors.NoSuchImport, errors.ImportStateWrong, errors.TooManyImports),
    *(errors.ImportCursorWrong, errors.ImportFormatUnknown),
)
_QUERY = errors.InvalidQuery.__subclasses__()  # in the order of the contract's table
_FAILURES = (errors.Busy, errors.DataInternalError)
_WRITING = (
    *_TOKEN,
    errors.WritingNotAllowed,
    errors.FilledBySignalbox,
    errors.NoSuchDataSet,
    errors.DryRunUnknown,
    *_BODY,
)

PART = ApiPart(
    name="Data",
    title="Data sets",
    base_url=settings.DATA_BASE_URL,
    prefixes=("/data/", "/queries"),
    chapters=CHAPTERS,
    errors={
        "writeRecords": (*_WRITING, errors.OnErrorUnknown, *_KEY, *_RECORDS, *_FAILURES),
        "emptyDataSet": (*_WRITING, errors.TooManyValues, errors.NotAnEmptyArray, *_FAILURES),
        "readSchema": (*_TOKEN, errors.ReadingNotAllowed, errors.ReadInPart, errors.NoSuchDataSet, *_FAILURES),
        "giveSchema": (
            *(*_TOKEN, errors.WritingNotAllowed, errors.NoSuchDataSet, errors.SchemaModeUnknown, *_BODY),
            *(errors.TooManyValues, errors.SchemaNotValid, *_FAILURES),
        ),
        "readRecord": (
            *(*_TOKEN, errors.ReadingNotAllowed, errors.NoServiceToRead, errors.NoSuchDataSet, errors.NoSuchRecord),
            *_FAILURES,
        ),
        "changeRecord": (*_WRITING, *_ONE, errors.NotARecord, *_ONE_BODY, *_FAILURES),
        "deleteRecords": (
            *(*_TOKEN, errors.WritingNotAllowed, errors.NoSuchDataSet, errors.DryRunUnknown, errors.UnknownParameter),
            *(errors.WhereMissing, *_WHERE, errors.ReasonMalformed, errors.QueryTooLarge, errors.TooManyToDelete),
            *_FAILURES,
        ),
        "deleteRecord": (
            *(*_TOKEN, errors.WritingNotAllowed, errors.NoSuchDataSet, errors.DryRunUnknown),
            *(*_ONE, *_FAILURES),
        ),
        "importFile": (
            *(*_IMPORTING, errors.DryRunUnknown, errors.ImportTypeUnknown, errors.WrongContentEncoding),
            *(errors.BodyTooLarge, errors.ImportFileEmpty, errors.BodyNotGzip, errors.ImportPartMissing),
            *(errors.ImportSettingsWrong, errors.TooManyImports, *_FAILURES),
        ),
        "listImports": (*_IMPORTING, errors.ImportCursorWrong, *_FAILURES),
        "readImport": (*_IMPORTING, errors.NoSuchImport, *_FAILURES),
        "changeImport": (
            *(*_IMPORTING, errors.NoSuchImport, errors.WrongContentType, errors.BodyTooLarge, errors.BodyEmpty),
            *(errors.BodyNotUtf8, errors.BodyNotJson, errors.ImportChangeWrong, errors.ImportSettingsWrong),
            *(errors.ImportStateWrong, *_FAILURES),
        ),
        "cancelImport": (*_IMPORTING, errors.NoSuchImport, errors.ImportStateWrong, *_FAILURES),
        "readRejectedRows": (*_IMPORTING, errors.ImportFormatUnknown, errors.NoSuchImport, *_FAILURES),
        "undoEmptying": (
            *_TOKEN,
            errors.WritingNotAllowed,
            errors.FilledBySignalbox,
            errors.NoSuchDataSet,
            errors.NothingToUndo,
            *_FAILURES,
        ),
        "readRecords": (
            *(*_TOKEN, errors.ReadingNotAllowed, errors.NoServiceToRead, errors.NoSuchDataSet),
            *(*_QUERY, *_FAILURES),
        ),
        "listSavedQueries": (*_TOKEN[:2], errors.ReadingNotAllowed, *_FAILURES),
        "readSavedQuery": (
            *_QUERY_TOKEN,
            errors.NoServiceToRead,
            errors.NoSuchDataSet,
            errors.SavedQueryInvalid,
            errors.NoChart,
            *_QUERY,
            *_FAILURES,
        ),
    },
    families={
        "Tokens": (
            *(*_TOKEN, errors.TokenOfAnotherQuery, errors.WritingNotAllowed),
            *(errors.FilledBySignalbox, errors.ReadingNotAllowed, errors.NoServiceToRead, errors.ReadInPart),
        ),
        "Paths": (
            *(
                errors.NoSuchDataSet,
                errors.SavedQueryInvalid,
                errors.NoChart,
                errors.NothingHere,
                errors.MethodNotAllowed,
            ),
            *(errors.DataRequestNotUnderstood, errors.DataUseHttps),
        ),
        "Bodies": (errors.DryRunUnknown, errors.OnErrorUnknown, *_BODY, *_KEY),
        "Records": (*_RECORDS[:-1], errors.NotAnEmptyArray, errors.NothingToUndo),
        "Single records": (
            *(errors.WhereMissing, errors.TooManyToDelete, *_ONE),
            *(errors.NotARecord, errors.IdDiffers, errors.IdFieldsDiffer),
        ),
        "Schemas": (errors.SchemaModeUnknown, errors.SchemaNotValid, errors.SchemaTakesTooLong),
        "Imports": _IMPORTS,
        "Queries": _QUERY,
        "Failures of data sets": _FAILURES,
    },
    error_schema=shapes.ERROR_BODY,
)
__all__ = ["PART", "imports", "operations", "record_operations", "schema_operations"]
