"""The errors of imports. Source: docs/reference/imports.md §1."""

from config.rest.api_errors import DataError


class ImportTypeUnknown(DataError):
    slug = "data-import-type"
    status = 415
    text = "The Content-Type is not that of a file that can be imported."
    fix = "Send the media type of the file, such as `text/csv`, `application/octet-stream`, or `multipart/form-data`."


class ImportFileEmpty(DataError):
    slug = "data-import-empty"
    text = "The file is empty."
    fix = "Send the file as the body, such as with `curl --data-binary @file.csv`."


class ImportPartMissing(DataError):
    slug = "data-import-part"
    text = "Send one part named file, and at most one part named settings."
    fix = "Name the parts of `multipart/form-data` `file` and `settings`."


class ImportSettingsWrong(DataError):
    slug = "data-import-settings"
    text = "{reason}"
    fix = "The message begins with the key that is wrong."


class ImportChangeWrong(DataError):
    slug = "data-import-change"
    text = "The body must be an object with settings, or with the state paused or running."
    fix = 'Send `{"settings": {…}}`, `{"state": "paused"}` or `{"state": "running"}`.'


class NoSuchImport(DataError):
    slug = "data-no-such-import"
    status = 404
    text = "There is no such import in this data set."
    fix = "Check the id. An import is deleted 7 days after its end."


class ImportStateWrong(DataError):
    slug = "data-import-state"
    status = 409
    text = "The import is {state}."
    fix = "Read the import with GET. Only a running import can be paused, and only one with questions takes settings."


class TooManyImports(DataError):
    slug = "data-import-too-many"
    status = 409
    text = "This data set has {limit} imports that are not finished."
    fix = "Wait for them, answer their questions, or cancel one with DELETE."


class ImportCursorWrong(DataError):
    slug = "data-import-cursor"
    text = "cursor must be the next_cursor of the previous page."
    fix = "Leave out `cursor` to start with the newest import."


class ImportFormatUnknown(DataError):
    slug = "data-import-format"
    text = "format must be csv or ndjson."
    fix = "Leave out `format` for CSV, or send `format=ndjson`."
