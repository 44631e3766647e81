"""The types of files. Source: docs/reference/files.md §4."""

from enum import StrEnum


class FileType(StrEnum):
    PDF = "application/pdf"
    PNG = "image/png"
    JPEG = "image/jpeg"
    RTF = "application/rtf"
    DOC = "application/msword"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    ODT = "application/vnd.oasis.opendocument.text"
    JSON = "application/json"
    TEXT = "text/plain"
    # Never allowed:
    ZIP = "application/zip"
    OLE = "application/x-ole-storage"
    UNKNOWN = "application/octet-stream"
