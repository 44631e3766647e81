"""Measure the message log with many messages: `python -m benchmarks.console_messages [messages]`.

It creates and fills a temporary database, on the server of DATABASE_URL or as a file, and drops it at the end. It
prints one JSON line for each page of the console: every filter, counter and indexed search of the log. A figure has
the median, the minimum and the maximum. `cpu_of_this` is the CPU time of this process, which on SQLite includes the
database. `load` is the load average of the machine.
"""

import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from uuid import UUID

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ["DATABASE_STATEMENT_TIMEOUT_MS"] = "600000"  # a few long statements fill the tables
os.environ["LOG_LEVEL"] = "error"
django.setup()

from django.conf import settings  # noqa: E402  Django must be set up first
from django.contrib.auth.models import User  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402
from django.utils import timezone  # noqa: E402

from notifications.admin.messages.paging import Place  # noqa: E402
from notifications.jobs import counting  # noqa: E402
from notifications.models import (  # noqa: E402
    ApiKey,
    Attachment,
    Notification,
    Service,
    Template,
    TemplateVersion,
)

ROUNDS = 5
PAGE = 50
SEED = 1_000  # rows that the models create; each doubling copies all rows to moments between them
SPAN = timedelta(days=6)
ONE_WITH_A_FILE_IN = 500
ROUND_NAMES = "abcdefghijklmnop"  # one for each doubling: as a prefix it makes a new recipient
LOG = "/admin/notifications/notification/"
NEW_ID = {"postgresql": "gen_random_uuid()", "sqlite": "lower(hex(randomblob(16)))"}
EARLIER = {
    "postgresql": "{column} - INTERVAL '{seconds} seconds'",
    "sqlite": "strftime('%Y-%m-%d %H:%M:%f000', {column}, '-{seconds} seconds')",
}


def main(count: int) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    with throw_away_database():
        measure(count)


def measure(count: int) -> None:
    template, key = fill(count)
    show("machine", platform.platform(), python=platform.python_version(), database=connection.vendor, messages=count)
    browser = signed_in()
    last_before = Notification.objects.exclude(key_type="test").order_by("-created_at", "-id")[99 * PAGE - 1]
    for name, query in {
        "first page": "",
        "page 100": f"older={Place.of(last_before)}",
        "delivering": "status=delivering",
        "delivered": "status=delivered",
        "failed": "status=failed",
        "one exact status": "status=temporary-failure",
        "email": "channel__exact=email",
        "one template": f"template__id__exact={template}",
        "one key": f"api_key__id__exact={key}",
        "messages of all key types": "key_type=all",
        "test messages only": "key_type=test",
        "team messages only": "key_type=team",
        "one provider": "provider=smtp-2",
        "sent from the console": "origin__exact=console",
        "with a file": "file=yes",
        "made today": "made=today",
        "created in 7 days": "made=week",
        "nothing found": f"provider=nobody&template__id__exact={template}",
    }.items():
        timed(name, partial(get, browser, query))
    known = Notification.objects.filter(channel="email").order_by("-created_at")[100]
    for name, term in {
        "search by recipient": known.normalised_recipient,
        "search by phone number": "07700 900123",
        "search by reference": f"ref:{known.reference}",
        "search by id": str(known.pk),
        "search for an unknown reference": "ref:no-such-case",
    }.items():
        timed(name, partial(search, browser, term))
    for name, row in {
        "overview": None,
        "message": ("notification_change", known.pk),
        "templates": ("template_changelist",),
        "template": ("template_change", template),
        "archiving a template": ("template_archive", template),
        "keys": ("apikey_changelist",),
        "key": ("apikey_change", key),
        "text senders": ("smssender_changelist",),
        "reply-to addresses": ("replytoaddress_changelist",),
        "reports": ("service_statistics",),
        "services": ("service_changelist",),
        "service": ("service_change", known.service_id),
        "files": ("attachment_changelist",),
        "callback deliveries": ("callbackdelivery_changelist",),
    }.items():
        timed(name, partial(open_page, browser, _address(*row) if row else reverse("admin:index")))
    timed("clean-up", partial(open_page, browser, reverse("admin:operations_retentionrun_changelist")))
    timed("audit", partial(open_page, browser, reverse("admin:operations_auditevent_changelist")))


def _address(name: str, *ids: UUID) -> str:
    return reverse(f"admin:notifications_{name}", args=ids)


def fill(count: int) -> tuple[UUID, UUID]:
    """Return the ids of a template and a key that have messages."""
    limits = {f"daily_limit_{kind}": 1 for kind in ("sms", "email", "international_sms")}
    services = [Service.objects.create(name=name, **limits) for name in ("Tides", "Ferries")]
    templates = [
        Template.objects.create(service=services[0], name=f"Template {n}", type="email" if n % 2 else "sms")
        for n in range(20)
    ]
    TemplateVersion.objects.bulk_create(
        TemplateVersion(template=one, number=1, name=one.name, subject="Tides", content="Dear ((name))")
        for one in templates
    )
    keys = [ApiKey(service=services[0], name=f"key-{n}", key_type="live", encrypted_secret=b"") for n in range(5)]
    ApiKey.objects.bulk_create(keys)
    step = SPAN / SEED
    now = timezone.now()
    Notification.objects.bulk_create(
        Notification(
            service=services[1] if n % 100 == 11 else services[0],
            api_key=None if n % 500 == 9 else keys[n % 5],
            origin="console" if n % 500 == 9 else "api",
            key_type={1: "test", 2: "team"}.get(n % 20, "live"),
            channel=templates[n % 20].type,
            template=templates[n % 20],
            template_version=1,
            recipient=f"p{n}@example.org" if n % 2 else f"+4477009{n:05}",
            normalised_recipient=f"p{n}@example.org" if n % 2 else f"4477009{n:05}",
            reference=f"case-{n}",
            subject="Your tide table" if n % 2 else None,
            body="Dear reader, the tide turns at nine. " * 8,
            status="created" if n == 7 else "permanent-failure" if n % 50 == 3 else "delivered",
            created_at=now - n * step,
            provider=("smtp-1", "smtp-2", "")[n % 3],
        )
        for n in range(SEED)
    )
    columns = [field.column for field in Notification._meta.concrete_fields]
    made, round_ = SEED, 0
    while made < count:
        step /= 2
        double(columns, round_, step)
        made, round_ = made * 2, round_ + 1
    give_files(made // ONE_WITH_A_FILE_IN)
    for service in services:
        for days in range(SPAN.days + 2):
            counting.count_day(service.pk, (now - timedelta(days=days)).date())
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    return templates[1].pk, keys[1].pk


def double(columns: list[str], round_: int, step: timedelta) -> None:
    """Copy every message to a moment between two others, for new recipients."""
    vendor = connection.vendor
    fresh = {
        "id": NEW_ID[vendor],
        "created_at": EARLIER[vendor].format(column="created_at", seconds=f"{step.total_seconds():.3f}"),
        "reference": f"'{ROUND_NAMES[round_]}' || reference",
        "normalised_recipient": f"'{ROUND_NAMES[round_]}' || normalised_recipient",
    }
    names, values = ", ".join(columns), ", ".join(fresh.get(column, column) for column in columns)
    with connection.cursor() as cursor:
        table = "notifications_notification"
        cursor.execute(f"INSERT INTO {table} ({names}) SELECT {values} FROM {table}")


def give_files(number: int) -> None:
    """Add a file to some of the emails, spread over all days."""
    emails = Notification.objects.filter(channel="email").order_by("created_at")
    every = max(1, ONE_WITH_A_FILE_IN // 2)  # half of all messages are emails
    Attachment.objects.bulk_create(
        Attachment(
            service_id=service,
            notification_id=email,
            created_at=made,
            storage_name=f"{place:032}",
            extension="pdf",
            size_bytes=1,
            key_check=b"",
            expires_at=made + timedelta(weeks=26),
        )
        for place, (email, service, made) in enumerate(
            emails.values_list("pk", "service_id", "created_at")[: number * every : every]
        )
    )


def signed_in() -> Client:
    browser = Client()
    browser.force_login(User.objects.create_superuser("bench", "bench@example.org", "a-long-password-1"))
    return browser


def get(browser: Client, query: str) -> None:
    open_page(browser, f"{LOG}?{query}")


def open_page(browser: Client, address: str) -> None:
    answer = browser.get(address)
    assert answer.status_code == 200, (address, answer.status_code)


def search(browser: Client, term: str) -> None:
    answer = browser.post(f"{LOG}search/", {"term": term}, follow=True)
    assert answer.status_code == 200, (term, answer.status_code)


def timed(name: str, work: Callable[[], None]) -> None:
    work()  # a process reads some data only once, which is not part of the page's time
    taken, worked = [], []
    for _ in range(ROUNDS):
        started, busy = time.perf_counter(), time.process_time()
        work()
        taken.append(time.perf_counter() - started)
        worked.append(time.process_time() - busy)
    spread = {
        "min": round(min(taken), 3),
        "max": round(max(taken), 3),
        "cpu_of_this": round(statistics.median(worked), 3),
    }
    show(name, round(statistics.median(taken), 3), unit="s", **spread, load=round(os.getloadavg()[0], 1))


def show(figure: str, value: object, **more: object) -> None:
    print(json.dumps({"figure": figure, "value": value, **more}), flush=True)


@contextmanager
def throw_away_database() -> Iterator[None]:
    """Create an empty database like Django's tests, connect to it, and drop it at the end."""
    before = connection.settings_dict["NAME"]
    with tempfile.TemporaryDirectory() as folder:
        name = f"benchmark_{os.getpid()}" if connection.vendor == "postgresql" else f"{folder}/benchmark.sqlite3"
        connection.settings_dict["TEST"]["NAME"] = name
        connection.creation.create_test_db(verbosity=0, serialize=False)
        try:
            yield
        finally:
            connection.creation.destroy_test_db(before, verbosity=0)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
