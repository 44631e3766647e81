"""The names of the files in the working folder of an import."""

FILE = "file"  # as it was sent, decrypted
REJECTED = "rejected"


def lines(*, is_dry: bool) -> str:
    """Return the name of the file with the records. That of a dry run leaves out repeated ids."""
    return "lines-of-dry-run" if is_dry else "lines"
