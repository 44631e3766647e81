"""Prevent a spreadsheet from running text in a CSV file as a formula."""

# Spreadsheets run text with these first characters as a formula. Some skip white space or accept full-width signs.
FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")


def as_text(value: str) -> str:
    """Return the value, with an apostrophe before it if a spreadsheet would run it as a formula.

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
