"""The size limits of request bodies, by path. Source: docs/reference/security.md §3."""

from django.conf import settings

from config.rest.request import DATA_PATHS, SENDING_PATHS, is_below

BULK_PATH = "/v2/notifications/bulk"
MIB = 1024 * 1024
PAGE_BYTES = 4 * MIB
PAGE_WITH_FILES_BYTES = 25 * MIB  # for a signed-in user, on a console page that accepts files


def max_body_bytes(path: str) -> int:
    """Return the limit in bytes for the body of any request to this path."""
    path = "/" + path.lstrip("/")  # like the middleware `fold_leading_slashes`
    if is_below(path, DATA_PATHS) and path.endswith("/imports"):
        return int(settings.IMPORT_MAX_BYTES)
    if is_below(path, DATA_PATHS):
        return int(settings.DATASETS_MAX_BODY_BYTES)
    if path.rstrip("/") == BULK_PATH:
        return int(settings.BULK_MAX_BYTES)
    if is_below(path, SENDING_PATHS):
        return int(settings.REQUEST_MAX_BYTES)
    return PAGE_WITH_FILES_BYTES if is_below(path, ("/admin/",)) else PAGE_BYTES
