"""Every refusal of a file, one class per row of the contract's table; for its shape see `validation`.

Each says beside its message what to do. Source: Files sent by email §2.1.
"""

from typing import ClassVar

from notifications.errors import NotificationError

EXTENSIONS = (".csv", ".doc", ".docx", ".jpeg", ".jpg", ".json", ".odt", ".pdf", ".png", ".rtf", ".txt", ".xlsx")


class FileRefused(NotificationError):
    advice: ClassVar[str] = ""

    def __init__(self, message: str = "", *, advice: str = "") -> None:
        super().__init__(message, fix=advice or self.advice)


class FileInTextMessage(FileRefused):
    text = "Can only send a file by email"
    advice = "Send it with an email template, or leave the file out of the personalisation."


class FilesNotSetUp(FileRefused):
    advice = "Whoever manages the service sets what people who download a file can turn to."

    def __init__(self, *, settings_url: str) -> None:
        super().__init__(
            f"Send files by email has not been set up - add contact details for your service at {settings_url}"
        )


class TooManyFiles(FileRefused):
    advice = "Send the rest with another email, or put several files into one."

    def __init__(self, *, count: int, limit: int) -> None:
        super().__init__(f"Too many files: {count}. An email can carry up to {limit}.")


class NotBase64(FileRefused):
    text = "Document is not base64 encoded"
    advice = (
        "Encode the bytes of the file with the standard alphabet of base64, padding included, without a data: prefix."
    )


class NameTooLong(FileRefused):
    text = "`filename` cannot be longer than 100 characters"
    advice = "Shorten the name; it is only what the recipient's browser saves the file as."


class NameForbidden(FileRefused):
    text = "`filename` cannot contain control or text direction characters"
    advice = "Take line breaks, other control characters and direction marks out of the name."


class TypeNotSupported(FileRefused):
    """Either an extension or, once the content is known, its type."""

    def __init__(self, found: str) -> None:
        listed = ", ".join(f"'{extension}'" for extension in EXTENSIONS)
        message = f"Unsupported file type '{found}'. Supported types are: {listed}"
        super().__init__(message, advice=_ADVICE.get(found, _ANY_ADVICE))


class FileTooLarge(FileRefused):
    text = "Uploaded file exceeds file size limit"
    advice = "A file must be smaller than 2 MiB (2,097,152 bytes) before it is encoded."


class FileEmpty(FileRefused):
    text = "Document must not be empty"
    advice = "Check that the file was read before it was encoded: no bytes came."


class FileInfected(FileRefused):
    text = "File did not pass the virus scan"
    advice = "Do not send this file again; find out where it came from."


_ANY_ADVICE = "Save the document as one of these types, and give it the extension of what it is."
_ADVICE = {
    "application/zip": "Archives and documents with macros are not accepted; save it as .docx, .xlsx or .odt.",
    "application/x-ole-storage": "Of the old Office formats only .doc is accepted; save the document as .xlsx or PDF.",
}
