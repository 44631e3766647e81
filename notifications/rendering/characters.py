"""Characters that are there but not seen, and what becomes of them. Source: Rendering §3.2."""

ZERO_WIDTH = "\u180e\u200b\u200c\u200d\u2060\ufeff\u2028\u2029"
NO_BREAK_SPACES = "\u00a0\u202f"

_TIDY_LINE = str.maketrans(dict.fromkeys(ZERO_WIDTH, "") | dict.fromkeys(NO_BREAK_SPACES, " "))
_DELETE_BOTH = str.maketrans("", "", ZERO_WIDTH + NO_BREAK_SPACES)


def one_line(text: str) -> str:
    """Return a text on one line: invisible characters deleted, white space runs turned into one space, trimmed.

    >>> one_line(" Tide\\u00a0 times\\u200b\\n today ")
    'Tide times today'
    """
    return " ".join(text.translate(_TIDY_LINE).split())


def without_invisible(text: str) -> str:
    """Delete zero-width characters and no-break spaces, and trim.

    >>> without_invisible(" a\\u200b lamp\\u00a0")
    'a lamp'
    """
    return text.translate(_DELETE_BOTH).strip()
