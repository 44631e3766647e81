"""Compare the JSON text of a value in SQL: its kind, its number and its text.

The SQL uses a column `field` with the JSON text, and a column `kind` with KIND. Whole numbers within 64 bits compare
exactly, all others as doubles. PostgreSQL compares decimals. SQLite compares integers and doubles, and Python converts
all but small whole numbers. Source: docs/reference/data-sets.md §11 (order of values).
"""

from django.db import connection

NUMBER, TEXT, FALSE, TRUE = range(4)
# JSON texts start with a quotation mark, which sorts before the digits. Null, arrays and objects are left over.
KIND = (
    f"CASE WHEN field < '-' THEN {TEXT} WHEN field < ':' THEN {NUMBER}"
    f" WHEN field = 'false' THEN {FALSE} WHEN field = 'true' THEN {TRUE} ELSE {{last}} END"
)

_INT64_BORDER, _EXACT_BORDER = 2**63, 2**53  # above the second, every double is a whole number
_TOO_LARGE = 2**1024 - 2**970  # the smallest whole number that does not round to a double
# A number of up to 14 characters is exact, so nearly all numbers match the first line.
_POSTGRESQL_NUMBER = f"""
CASE WHEN kind = 0 AND LENGTH(field) <= 14 THEN CAST(field AS numeric)
     WHEN kind <> 0 THEN NULL
     WHEN CAST(field AS numeric) >= {_TOO_LARGE} THEN CAST('Infinity' AS numeric)
     WHEN CAST(field AS numeric) <= -{_TOO_LARGE} THEN CAST('-Infinity' AS numeric)
     WHEN ABS(CAST(field AS numeric)) < {_EXACT_BORDER} THEN CAST(field AS numeric)
     WHEN TRIM(field, '-0123456789') = '' AND CAST(field AS numeric) BETWEEN -{_INT64_BORDER} AND {_INT64_BORDER - 1}
         THEN CAST(field AS numeric)
     WHEN CAST(field AS float8) >= -{_INT64_BORDER} AND CAST(field AS float8) < {_INT64_BORDER}
         THEN CAST(CAST(CAST(field AS float8) AS bigint) AS numeric)
     ELSE CAST(CAST(CAST(field AS float8) AS text) AS numeric) END
"""
_POSTGRESQL_TEXT = """
(CASE WHEN kind <> 1 THEN NULL WHEN STRPOS(field, '\\') = 0 THEN SUBSTR(field, 2, LENGTH(field) - 2)
      ELSE CAST(field AS json) #>> '{}' END) COLLATE "C"
"""
_SQLITE_NUMBER = """
CASE WHEN kind = 0 AND LENGTH(field) <= 18 AND field NOT GLOB '*[^-0-9]*' THEN CAST(field AS integer)
     WHEN kind = 0 THEN signalbox_number(field) END
"""
_SQLITE_TEXT = """
CASE WHEN kind <> 1 THEN NULL WHEN INSTR(field, '\\') = 0 THEN SUBSTR(field, 2, LENGTH(field) - 2)
     ELSE field ->> '$' END
"""


def number_sql() -> str:
    """Return the SQL of the number of `field`, NULL for other values."""
    return _POSTGRESQL_NUMBER if connection.vendor == "postgresql" else _SQLITE_NUMBER


def text_sql() -> str:
    """Return the SQL of the text of `field`, NULL for other values."""
    return _POSTGRESQL_TEXT if connection.vendor == "postgresql" else _SQLITE_TEXT


def number_parameter(number: int | float) -> tuple[str, int | float | str]:
    """Return the placeholder and the parameter of a number that is compared with `number_sql`.

    number: as `values.number` returns it
    """
    if connection.vendor == "sqlite":
        return "%s", number
    is_exact = isinstance(number, float) and abs(number) >= _EXACT_BORDER and -_INT64_BORDER <= number < _INT64_BORDER
    return "CAST(%s AS numeric)", str(int(number) if is_exact else number)
