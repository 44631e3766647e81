"""The names of the files in the working folder of an import, and the form of their lines."""

FILE = "file"  # as it was sent, decrypted
REJECTED = "rejected"


def lines(*, is_dry: bool) -> str:
    """Return the name of the file with the records. That of a dry run leaves out repeated ids."""
    return "lines-of-dry-run" if is_dry else "lines"


def line(number: int, record_id: str, timestamp: str, body: object, start_at: str = "", end_at: str = "") -> str:
    """Return the line of a record: the number of its row and its columns. None of them contains a tab or a line end."""
    return f"{number}\t{record_id}\t{timestamp}\t{start_at}\t{end_at}\t{body}\n"
