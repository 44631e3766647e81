r"""How the name of a field is written in a query parameter: a colon as `\:`, a backslash as `\\`.

Source: Data Set contract §6.
"""

import re

_NAME = re.compile(r"(?:\\[\\:]|[^:])*")
_ESCAPED = re.compile(r"\\([\\:])")
_SPECIAL = re.compile(r"[\\:]")


def split(text: str) -> tuple[str, str | None]:
    r"""Return the name before the first colon that is not escaped, and what follows it; None without such a colon.

    A backslash before any other character stands for itself.

    >>> split("channel:a:b"), split(r"a\:b:sum"), split(r"C:\\x"), split(r"a\b")
    (('channel', 'a:b'), ('a:b', 'sum'), ('C', '\\\\x'), ('a\\b', None))
    """
    found = _NAME.match(text)
    written = found[0] if found else ""
    rest = text[len(written) :]
    return _ESCAPED.sub(r"\1", written), rest[1:] if rest else None


def escape(name: str) -> str:
    r"""Return the name as a parameter holds it.

    >>> escape("a:b"), split(escape(r"C:\x"))
    ('a\\:b', ('C:\\x', None))
    """
    return _SPECIAL.sub(r"\\\g<0>", name)
