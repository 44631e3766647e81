"""The lists of tests that run on both databases, or first, name existing files. No test of a database is left out."""

import re

import pytest

from tests import both_stores, conftest
from tests.servers import ROOT

# Requests at once that commit, plans of queries, migrations, and what differs between the databases.
DEPENDS = re.compile(r"connection\.vendor|EXPLAIN|MigrationExecutor")
COMMITS_AT_ONCE = (re.compile(r"transaction=True|transactional_db"), re.compile(r"\bat_once\b"))
ON_ONE = {  # the servers of its other tests are no databases
    "tests/deploy/test_prometheus.py",
    "tests/config/test_both_stores.py",
}


def place_exists(place: str) -> bool:
    file, _, name = place.partition("::")
    if name:
        return f"\ndef {name}" in (ROOT / file).read_text()
    return any((ROOT / file).parent.glob(f"{(ROOT / file).name}*"))


@pytest.mark.parametrize("place", both_stores.PLACES)
def test_each_path_exists(place):
    assert place_exists(place)


@pytest.mark.parametrize("place", conftest.LONG)
def test_each_long_file_exists(place):
    assert (ROOT / "tests" / place).exists()


def test_files_whose_results_depend_on_the_database_run_on_both():
    texts = {path.relative_to(ROOT).as_posix(): path.read_text() for path in (ROOT / "tests").rglob("test_*.py")}
    dependent = {
        file for file, text in texts.items() if DEPENDS.search(text) or all(one.search(text) for one in COMMITS_AT_ONCE)
    }

    assert {file for file in dependent - ON_ONE if not file.startswith(both_stores.FILES)} == set()
