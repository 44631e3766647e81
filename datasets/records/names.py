"""The names of fields. Source: docs/reference/data-sets.md §6."""

import re

MOMENTS = ("_timestamp", "_start_at", "_end_at")
COMPUTED = frozenset(
    {"_updated_at"} | {f"_{period}_start_at" for period in ("hour", "day", "week", "month", "quarter", "year")}
)
MAX_LENGTH = 128  # code points. Source: docs/reference/data-sets.md §6
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters, lone surrogates


def is_field_name(name: str) -> bool:
    """Return whether a caller may use this name for a field. Names that start with `_` are reserved.

    >>> [is_field_name(name) for name in ("count", "1st class", "a:b", "%", "", "_a", "a\\tb", "x" * 129)]
    [True, True, True, True, False, False, False, False]
    """
    return 0 < len(name) <= MAX_LENGTH and name[0] != "_" and _FORBIDDEN.search(name) is None


def path_of(name: str) -> tuple[str, ...] | None:
    """Return the parts of a name with dots, or None if it is not a path into nested objects.

    >>> path_of("geo.country"), path_of("geo"), path_of("geo."), path_of("a..b")
    (('geo', 'country'), None, None, None)
    """
    parts = tuple(name.split("."))
    return parts if len(parts) > 1 and all(parts) else None


def shown(name: str) -> str:
    """Return a rejected name in a form that an answer can contain: shortened, lone surrogates replaced."""
    return re.sub("[\ud800-\udfff]", "\ufffd", name[:MAX_LENGTH])
