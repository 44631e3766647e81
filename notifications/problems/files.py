"""What can be wrong with a file in the personalisation. Source: Files sent by email §2.1."""

from notifications.attachments import refusals
from notifications.errors import ValidationError
from notifications.problems.row import row

IN_TEXT = row("file-in-text", refusals.FileInTextMessage, "Send the file in an email, or take it out.")
FILES = (
    row(
        "file-yes-or-no",
        ValidationError,
        "Send `true` or `false`, or leave the option out.",
        "… Unsupported value for …. Use a boolean true or false value.",
    ),
    row(
        "file-retention-period",
        ValidationError,
        "Write it as `26 weeks`, or leave it out for that.",
        "retention_period Unsupported value for retention_period: …. Supported periods are from 1 to 78 weeks.",
    ),
    row(
        "file-name-without-extension",
        ValidationError,
        "Give the name the extension of what the file is, or leave the name out.",
        "filename `filename` must end with a file extension. For example, filename.csv",
    ),
    row(
        "file-csv-and-name",
        ValidationError,
        "Leave `is_csv` out: the extension of the name says it.",
        "Do not set a value for `is_csv` if `filename` is set.",
    ),
    row(
        "files-not-set-up",
        refusals.FilesNotSetUp,
        "Add contact details for the download page to the service's settings.",
        "Send files by email has not been set up - add contact details for your service at …",
    ),
    row(
        "too-many-files",
        refusals.TooManyFiles,
        "Send the rest with another email, or put several files into one.",
        "Too many files: …. An email can carry up to ….",
    ),
    row(
        "file-not-base64",
        refusals.NotBase64,
        "Encode the bytes of the file with the standard alphabet of base64, padding included, without a data: prefix.",
    ),
    row("file-name-too-long", refusals.NameTooLong, "Shorten the name the recipient's browser saves the file as."),
    row(
        "file-name-characters",
        refusals.NameForbidden,
        "Take line breaks, other control characters and direction marks out of the name.",
    ),
    row(
        "file-type",
        refusals.TypeNotSupported,
        "Save the document as one of these types, and give it the extension of what it is.",
        "Unsupported file type '…'. Supported types are: …",
    ),
    row(
        "file-name-of-another-type",
        refusals.NameDoesNotFit,
        "Give the file the extension of what it is.",
        "Unsupported file type '…' for a name that ends with '…'. It must end with '…'",
    ),
    row("file-too-large", refusals.FileTooLarge, "A file must be smaller than 2 MiB before it is encoded."),
    row("file-empty", refusals.FileEmpty, "Check that the file was read before it was encoded: no bytes came."),
    row("virus", refusals.FileInfected, "Do not send this file again; find out where it came from."),
)
