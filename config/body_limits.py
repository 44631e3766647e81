"""How large the body of a request may be, by its path. Source: Security and reliability §3."""

from django.conf import settings

from config import envelopes

MIB = 1024 * 1024
PAGE_BYTES = 4 * MIB
PAGE_WITH_FILES_BYTES = 25 * MIB  # for a signed-in person, on a page of the console that takes files


def max_body_bytes(path: str) -> int:
    """Return the most bytes that any request for this path may carry."""
    path = "/" + path.lstrip("/")  # as `fold_leading_slashes` reads it
    if envelopes.is_below(path, envelopes.DATA_PATHS):
        return int(settings.DATASETS_MAX_BODY_BYTES)
    if envelopes.is_below(path, envelopes.SENDING_PATHS):
        return int(settings.REQUEST_MAX_BYTES)
    return PAGE_WITH_FILES_BYTES if envelopes.is_below(path, ("/admin/",)) else PAGE_BYTES
