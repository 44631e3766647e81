"""The fault table of docs/testing.md is generated from the tests, and the scripts that it names exist."""

import re

from tests import fault_table
from tests.servers import ROOT

DOCUMENT = (ROOT / "docs" / "testing.md").read_text()


def test_the_fault_table_is_up_to_date() -> None:
    assert fault_table.with_table(DOCUMENT) == DOCUMENT, "run: python -m tests.fault_table"


def test_every_case_is_shown_by_a_test_or_a_script() -> None:
    assert [case for case, places in fault_table.shown_by().items() if not places] == []


def test_every_script_it_names_exists() -> None:
    named = set(re.findall(r"`(benchmarks/[\w/]+\.py)`", DOCUMENT))

    assert len(named) >= 5
    assert [path for path in named if not (ROOT / path).exists()] == []
