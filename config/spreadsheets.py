"""Cells of a CSV file that a spreadsheet must show and never compute."""

# A spreadsheet takes text that begins with one of these for a formula: some skip white space, or read full-width signs.
FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")


def as_text(value: str) -> str:
    """Return the value with an apostrophe before it where a spreadsheet would compute it.

    >>> as_text("=1+1"), as_text("＝1+1"), as_text("a=b"), as_text("")
    ("'=1+1", "'＝1+1", 'a=b', '')
    """
    return f"'{value}" if value[:1] in FORMULA_STARTS else value


def without_apostrophe(value: str) -> str:
    """Return what `as_text` was given: remove the apostrophe before the start of a formula.

    >>> without_apostrophe("'=1+1"), without_apostrophe("'tis")
    ('=1+1', "'tis")
    """
    return value[1:] if value[:1] == "'" and value[1:2] in FORMULA_STARTS else value
