"""The page of the health checks, for operators."""

import re

from tests.people import browser_of, make_person

PAGE = "/admin/operations/health/"


def test_each_check_has_its_result_and_failed_ones_come_first_with_a_fix(console):
    answer = console.get(PAGE)

    findings = answer.context["findings"]
    assert {"database", "migrations", "worker", "audit"} <= {finding.name for finding in findings}
    assert [bool(finding.fix) for finding in findings] == sorted((bool(one.fix) for one in findings), reverse=True)
    page = answer.content.decode()
    assert "checks failed" in page
    assert "Start manage.py worker." in page
    assert re.search(r"delivery receipts \d+, ", page)
    assert "send-email" not in page


def test_only_operators_open_it(db):
    assert browser_of(make_person()).get(PAGE).status_code == 403
