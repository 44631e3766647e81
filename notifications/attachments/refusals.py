"""Every refusal of a file, one class per row of the contract's table; for its shape see `validation`.

Source: Files sent by email §2.1.
"""

from notifications.errors import NotificationError

EXTENSIONS = (".csv", ".doc", ".docx", ".jpeg", ".jpg", ".json", ".odt", ".pdf", ".png", ".rtf", ".txt", ".xlsx")


class FileRefused(NotificationError):
    """Any of them."""


class FileInTextMessage(FileRefused):
    text = "Can only send a file by email"


class FilesNotSetUp(FileRefused):
    def __init__(self, *, settings_url: str) -> None:
        super().__init__(
            f"Send files by email has not been set up - add contact details for your service at {settings_url}"
        )


class TooManyFiles(FileRefused):
    def __init__(self, *, count: int, limit: int) -> None:
        super().__init__(f"Too many files: {count}. An email can carry up to {limit}.")


class NotBase64(FileRefused):
    text = "Document is not base64 encoded"


class NameTooLong(FileRefused):
    text = "`filename` cannot be longer than 100 characters"


class NameForbidden(FileRefused):
    text = "`filename` cannot contain control or text direction characters"


class TypeNotSupported(FileRefused):
    """Either an extension or, once the content is known, its type."""

    def __init__(self, found: str) -> None:
        listed = ", ".join(f"'{extension}'" for extension in EXTENSIONS)
        message = f"Unsupported file type '{found}'. Supported types are: {listed}"
        super().__init__(message, fix=_FIXES.get(found, ""))


class NameDoesNotFit(FileRefused):
    """The content may be sent, but not under this name."""

    def __init__(self, found: str, *, extension: str, right: str) -> None:
        super().__init__(
            f"Unsupported file type '{found}' for a name that ends with '.{extension}'. It must end with '.{right}'",
            fix=f"Give the file a name that ends with .{right}, or send a file that is a .{extension}.",
        )


class FileTooLarge(FileRefused):
    text = "Uploaded file exceeds file size limit"


class FileEmpty(FileRefused):
    text = "Document must not be empty"


class FileInfected(FileRefused):
    text = "File did not pass the virus scan"


_FIXES = {
    "application/zip": "Archives and documents with macros are not accepted; save it as .docx, .xlsx or .odt.",
    "application/x-ole-storage": "Of the old Office formats only .doc is accepted; save the document as .xlsx or PDF.",
}
