"""Test which statements the server keeps prepared, and how an operator turns that off."""

from pathlib import Path

import pytest
from django.db import connection, connections

from config.databases.prepared import prepared_cursor
from tests import forks

SHOW_THRESHOLD = """
import django
django.setup()
from django.conf import settings
print(settings.DATABASES["default"]["OPTIONS"]["prepare_threshold"])
"""


@pytest.mark.parametrize(
    ("options", "threshold"), [("", "5"), ("?prepare_threshold=0", "0"), ("?prepare_threshold=none", "None")]
)
def test_the_url_of_the_database_sets_when_statements_are_prepared(
    options: str, threshold: str, tmp_path: Path
) -> None:
    output = forks.output_of(SHOW_THRESHOLD, tmp_path, DATABASE_URL=f"postgres://nobody@127.0.0.1/nothing{options}")

    assert output.strip() == threshold


@pytest.mark.django_db
def test_a_repeated_statement_is_prepared_by_the_server() -> None:
    """SQLite has no server, but gets the same answer."""
    on_postgresql = connection.vendor == "postgresql"
    asked = "SELECT 40 + %s::integer" if on_postgresql else "SELECT 40 + %s"
    for number in range(8):
        with prepared_cursor(connections["default"]) as cursor:
            cursor.execute(asked, [number])
            assert cursor.fetchone() == (40 + number,)

    if on_postgresql:
        with connection.cursor() as cursor:
            cursor.execute("SELECT statement FROM pg_prepared_statements")
            assert "SELECT 40 + $1::integer" in [row[0] for row in cursor.fetchall()]


MEASURE = """
import django
django.setup()
from django.db import connection

def mib():
    return int(open("/proc/self/statm").read().split()[1]) // 256

def ask(number):
    with connection.cursor() as cursor:
        cursor.execute("SELECT length(%s)", [str(number) * 1_000_000])

ask(1)
before = mib()
for number in range(10, 90):
    ask(number)
print(mib() - before)
"""


@pytest.mark.django_db
def test_a_connection_does_not_keep_the_values_of_earlier_statements(tmp_path: Path) -> None:
    """80 texts of 2 MB. SQLite never keeps them."""
    assert int(forks.output_of(MEASURE, tmp_path)) < 40
