"""The names of the files in the working folder of an import."""

FILE = "file"  # as it was sent, decrypted
LINES, REJECTED = "lines", "rejected"  # what `converting` writes
