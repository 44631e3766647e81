"""`manage.py demo` creates data by seed and scale, and removes it. Source: docs/reference/running.md §5."""

from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command

from config import areas
from config.areas import DemoOptions
from config.audit.models import AuditEvent
from datasets.models import DataSet, Record
from notifications.jobs import counting
from notifications.models import HourlyCount, Notification, Service
from tests.datasets.making import make_data_set
from tests.factories import make_notification

pytestmark = pytest.mark.django_db


def make(seed: int = 1, factor: int = 1) -> None:
    for part in areas.commands():
        part.demo({}, DemoOptions(seed=seed, factor=factor))


def messages() -> list[tuple[object, ...]]:
    return list(Notification.objects.order_by("id").values_list("id", "recipient", "status"))


def wipe() -> None:
    for part in areas.commands():
        part.wipe()


def test_one_seed_creates_the_same_data_and_another_seed_other_data() -> None:
    make(seed=2)
    first = messages()
    wipe()
    make(seed=2)
    again = messages()
    wipe()
    make(seed=3)

    assert first == again
    assert len(first) > 300
    assert not set(first) & set(messages())


def test_a_scale_multiplies_the_data() -> None:
    make()
    usual = (Notification.objects.count(), DataSet.objects.get(type__name="visits").records.count())
    wipe()

    make(factor=3)

    assert DataSet.objects.get(type__name="visits").records.count() == 3 * usual[1]
    assert 2 * usual[0] < Notification.objects.count() < 4 * usual[0]


def test_demo_messages_are_counted() -> None:
    make()

    counted = sum(HourlyCount.objects.values_list("n", flat=True))

    assert counted == Notification.objects.count()
    assert counting.count_recent() == 0


def test_wiping_removes_only_the_demo_data() -> None:
    kept_message, kept_set = make_notification(), make_data_set()
    make()
    audited = set(AuditEvent.objects.values_list("pk", flat=True))

    wipe()

    assert list(Notification.objects.all()) == [kept_message]
    assert list(Service.objects.all()) == [kept_message.service]
    assert list(DataSet.objects.all()) == [kept_set]
    assert Record.objects.count() == 0
    assert audited < set(AuditEvent.objects.values_list("pk", flat=True))
    removed = AuditEvent.objects.filter(verb="deleted").values_list("object_kind", "object_label")
    assert sorted(removed) == [
        ("dashboard", "Apply for a mooring: how the service performs"),
        *(
            ("dataset", f"demo/{type}")
            for type in ("costs", "queue-times", "ratings", "satisfaction", "steps", "transactions", "visits")
        ),
        ("service", "Library Renewals"),
        ("service", "Parks and Gardens"),
    ]


def test_a_real_provider_prevents_demo_and_wipe(settings: object, capsys: pytest.CaptureFixture[str]) -> None:
    settings.PROVIDERS = ["smtp-1=smtp://localhost"]  # type: ignore[attr-defined]
    commands: list[Callable[[], object]] = [lambda: call_command("demo"), lambda: call_command("demo", "--wipe")]
    for command in commands:
        with pytest.raises(CommandError, match="needs PROVIDERS=sandbox"):
            command()


def test_it_prints_only_urls_of_installed_areas(start_service) -> None:
    service = start_service(AREAS="datasets")

    printed = service.manage("demo").stdout

    assert f"API          {service.url}           docs {service.url}/docs/" in printed
    assert "Data token" in printed
    assert "/sandbox/" not in printed
