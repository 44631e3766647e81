"""Write conditions of `where` for values that people choose. Source: docs/reference/data-sets.md §11."""

import json
from collections.abc import Iterable

_BOOLEANS = ("true", "false")


def is_one_of(field: str, values: Iterable[str]) -> str:
    """Return the condition that a field is one of these texts. Whole numbers and booleans are also found as such.

    >>> is_one_of("channel", ["web"]), is_one_of("status", ["404"]), is_one_of("done", ["true"])
    ('"channel" in ("web")', '"status" in ("404", 404)', '"done" in ("true", true)')
    """
    written = []
    for value in values:
        written.append(json.dumps(value, ensure_ascii=False))
        if value in _BOOLEANS or (value.isascii() and value.isdigit() and str(int(value)) == value):
            written.append(value)
    return f"{json.dumps(field, ensure_ascii=False)} in ({', '.join(written)})"
