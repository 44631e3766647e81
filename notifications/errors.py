"""Every refusal of the sending API: one class per row of the contract's error table, free of HTTP.

The class attribute `kind` is the word the caller reads in `error`; `api/errors.py` has the table from class to status.
Source: Notification Sending API §7; the sending contract §2.2, §3, §4.
"""

from typing import ClassVar


class NotificationError(Exception):
    """A refusal with the contract's message; `fix` is one sentence on what to do, `docs` the anchor for more."""

    kind: ClassVar[str] = "BadRequestError"

    def __init__(self, message: str, *, fix: str = "", docs: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.docs = docs
