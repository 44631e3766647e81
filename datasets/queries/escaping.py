r"""Escape field names in query parameters: a colon as `\:`, a backslash as `\\`.

Source: docs/reference/data-sets.md §6.
"""

import re

_NAME = re.compile(r"(?:\\[\\:]|[^:])*")
_ESCAPED = re.compile(r"\\([\\:])")
_SPECIAL = re.compile(r"[\\:]")


def split(text: str) -> tuple[str, str | None]:
    r"""Return the name before the first unescaped colon, and the text after it, or None without such a colon.

    A backslash before another character is literal.

    >>> split("channel:a:b"), split(r"a\:b:sum"), split(r"C:\\x"), split(r"a\b")
    (('channel', 'a:b'), ('a:b', 'sum'), ('C', '\\\\x'), ('a\\b', None))
    """
    found = _NAME.match(text)
    written = found[0] if found else ""
    rest = text[len(written) :]
    return _ESCAPED.sub(r"\1", written), rest[1:] if rest else None


def escape(name: str) -> str:
    r"""Return the name escaped for a parameter.

    >>> escape("a:b"), split(escape(r"C:\x"))
    ('a\\:b', ('C:\\x', None))
    """
    return _SPECIAL.sub(r"\\\g<0>", name)
