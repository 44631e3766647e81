"""Errors of files in the personalisation. Source: docs/reference/files.md §2.1."""

from config.rest.api_errors import SendingError
from notifications.errors.fields import ValidationError

EXTENSIONS = (".csv", ".doc", ".docx", ".jpeg", ".jpg", ".json", ".odt", ".pdf", ".png", ".rtf", ".txt", ".xlsx")


class FileOptionNotBoolean(ValidationError):
    slug = "file-yes-or-no"
    text = "{name} Unsupported value for {name}: {value}. Use a boolean true or false value."
    fix = "Send `true` or `false`, or leave the option out."


class FileRetentionUnsupported(ValidationError):
    slug = "file-retention-period"
    text = (
        "retention_period Unsupported value for retention_period: {value}. "
        "Supported periods are from 1 to {max_weeks} weeks."
    )
    fix = "Use a value such as `26 weeks`, or leave `retention_period` out for 26 weeks."


class FileNameWithoutExtension(ValidationError):
    slug = "file-name-without-extension"
    text = "filename `filename` must end with a file extension. For example, filename.csv"
    fix = "Add the extension of the file's type to `filename`, or leave `filename` out."


class FileCsvAndName(ValidationError):
    slug = "file-csv-and-name"
    text = "Do not set a value for `is_csv` if `filename` is set."
    fix = "Leave `is_csv` out. The extension of `filename` gives the type."


class InvalidFile(SendingError):
    """The file itself is rejected, not its options."""


class FileInTextMessage(InvalidFile):
    slug = "file-in-text"
    text = "Can only send a file by email"
    fix = "Send the file by email, or remove it from the personalisation."


class FilesNotSetUp(InvalidFile):
    slug = "files-not-set-up"
    text = "Send files by email has not been set up - add contact details for your service at {settings_url}"
    fix = "Add contact details for the download page in the service's settings."


class TooManyFiles(InvalidFile):
    slug = "too-many-files"
    text = "Too many files: {count}. An email can carry up to {limit}."
    fix = "Send the other files in another email, or combine several files into one."


class NotBase64(InvalidFile):
    slug = "file-not-base64"
    text = "Document is not base64 encoded"
    fix = "Encode the file with standard base64 and padding, without a `data:` prefix."


class NameTooLong(InvalidFile):
    slug = "file-name-too-long"
    text = "`filename` cannot be longer than 100 characters"
    fix = "Shorten `filename`."


class NameForbidden(InvalidFile):
    slug = "file-name-characters"
    text = "`filename` cannot contain control or text direction characters"
    fix = "Remove line breaks, other control characters and text direction marks from `filename`."


class TypeNotSupported(InvalidFile):
    """`found` is an extension or, if the content was read, its type."""

    slug = "file-type"
    text = "Unsupported file type '{found}'. Supported types are: {supported}"
    fix = "Save the file as one of these types, with the matching extension."

    def __init__(self, found: str) -> None:
        listed = ", ".join(f"'{extension}'" for extension in EXTENSIONS)
        super().__init__(found=found, supported=listed, fix=_FIXES.get(found, ""))


class NameDoesNotFit(InvalidFile):
    """The type of the content is supported, but does not match the extension."""

    slug = "file-name-of-another-type"
    text = "Unsupported file type '{found}' for a name that ends with '.{extension}'. It must end with '.{right}'"
    fix = "Use the extension of the file's type."

    def __init__(self, found: str, *, extension: str, right: str) -> None:
        fix = f"Give the file a name that ends with .{right}, or send a .{extension} file."
        super().__init__(found=found, extension=extension, right=right, fix=fix)


class FileTooLarge(InvalidFile):
    slug = "file-too-large"
    text = "Uploaded file exceeds file size limit"
    fix = "Send a file smaller than 2 MiB (before base64 encoding)."


class FileEmpty(InvalidFile):
    slug = "file-empty"
    text = "Document must not be empty"
    fix = "The file has 0 bytes. Check that your program reads the file before it encodes it."


class FileInfected(InvalidFile):
    slug = "virus"
    text = "File did not pass the virus scan"
    cause = "The virus scanner found something in the file."
    fix = "Do not send this file again. Find out where it came from."


_FIXES = {
    "application/zip": "Archives and documents with macros are not supported. Save the file as .docx, .xlsx or .odt.",
    "application/x-ole-storage": "The only supported old Office format is .doc. Save the document as .xlsx or PDF.",
}
