"""What an email may have. Source: docs/reference/inbox.md §6."""

MIB = 1024 * 1024

MOST_BYTES = 32 * MIB  # a report may contain the whole email with its files
MOST_LEVELS = 20
MOST_PARTS = 1000
MOST_HEADERS = 10_000  # in all parts together
MOST_HEADER_CHARACTERS = 4000  # of one header; the rest is not read
MOST_TEXT_BYTES = 4 * MIB  # of all texts and reports together; the rest is not read
MOST_FIELDS_BYTES = 256 * 1024  # of one report
MOST_BLOCKS = 100  # of a report; Signalbox's emails have one recipient


class Refused(Exception):
    """The email is not read. The text names the limit."""


TOO_LARGE = f"The email has more than {MOST_BYTES // MIB} MiB."
TOO_MANY_LEVELS = f"The email has more than {MOST_LEVELS} levels of parts."
TOO_MANY_PARTS = f"The email has more than {MOST_PARTS:,} parts."
TOO_MANY_HEADERS = f"The email has more than {MOST_HEADERS:,} headers."
