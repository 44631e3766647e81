"""The header `Idempotency-Key`, as both areas read it. Where a key is remembered, and for how long, is each area's own.

Source: Data Set contract §8; Notification Sending contract, idempotency.
"""

import hashlib
import re

_KEY = re.compile(r"[!-~]{1,255}")


def is_well_formed(key: str) -> bool:
    """1 to 255 visible ASCII characters, taken as they are.

    >>> [is_well_formed(key) for key in ("k1", "~" * 255, "", "a b", "clé", "k" * 256)]
    [True, True, False, False, False, False]
    """
    return _KEY.fullmatch(key) is not None


def fingerprint(opened_body: bytes) -> str:
    """Return what tells one body from another: SHA-256 of the bytes once opened, so gzip and plain are the same."""
    return hashlib.sha256(opened_body).hexdigest()
