"""The clean-up finding of `manage.py doctor` and the deep check. Source: docs/reference/running.md §13."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from config.areas import Finding
from config.health import health_checks
from config.jobs.models import RetentionRun

pytestmark = pytest.mark.django_db


def ran(rule: str, hours: float, error: str = "") -> datetime:
    at = timezone.now() - timedelta(hours=hours)
    RetentionRun.objects.create(rule=rule, trigger="clock", started_at=at, finished_at=at, error=error)
    return at


def found() -> Finding:
    return health_checks.clean_up()


def test_before_the_first_run_the_check_passes() -> None:
    assert found() == Finding(name="clean-up", seen="has not run yet; the clock runs it, at 03:00 UTC at the latest")


def test_the_finding_has_the_last_success_of_each_rule() -> None:
    ran("audit", 30)
    audit, searches = ran("audit", 25), ran("searches", 1)

    assert found().fix == ""
    assert found().seen == f"last success: audit {audit:%Y-%m-%d %H:%M} UTC, searches {searches:%Y-%m-%d %H:%M} UTC"


def test_a_rule_that_has_missed_its_night_fails_the_check() -> None:
    ran("audit", 27)
    ran("searches", 1)

    assert found().fix.endswith("more than 26 h ago: audit.")


def test_a_failed_rule_fails_the_check_until_its_next_success() -> None:
    ran("audit", 25)
    ran("audit", 1, "OSError: No space left on device")
    assert found().fix == "See operations/clean-up/. Audit: OSError: No space left on device."

    ran("audit", 0)

    assert found().fix == ""


def test_the_check_is_part_of_the_platform() -> None:
    assert health_checks.clean_up in [one.look for one in health_checks.PLATFORM]
