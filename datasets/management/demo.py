"""Create the demo data sets: hourly visits, weekly satisfaction, one that is late, and a dashboard."""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from config import audit
from config.areas import USUAL, DemoOptions, DemoResult, DocumentErrors
from config.audit import changes
from datasets import records, store, tokens
from datasets.management import demo_dashboard, provision
from datasets.models import AccessToken, DataSet, SavedQuery
from datasets.records import moments
from datasets.saved_queries.question import AskedRange, Measure, Question
from datasets.validation import is_secret

TOKEN_VARIABLE = "DATA_TOKEN"  # noqa: S105  the name of a variable
DEMO_QUERY = "demoVisitsWeekly"
_TYPES = ("visits", "satisfaction", "queue-times")
_OPEN = {
    "description": "Answers to the question whether people are satisfied, by week. Invented for the demo.",
    "licence": "OGL-UK-3.0",
    "contact": "data@example.gov.uk",
    "units": {"answers": "answers", "satisfied": "share of 1"},
}
_DAYS = 14
_WEEKS = 26
_LAST_WRITE_AGO = timedelta(hours=9)


def make(stored: dict[str, str], options: DemoOptions = USUAL) -> DemoResult:
    """Create missing demo data sets and records. Issue a new token unless `stored` has the current one."""
    with transaction.atomic():
        secret = _make_data_sets(stored.get(TOKEN_VARIABLE, ""))
        now = timezone.now().replace(minute=0, second=0, microsecond=0)
        _fill("visits", _visits(now, options))
        _fill("satisfaction", _satisfaction(now, options))
        _fill("queue-times", _queue_times(now - _LAST_WRITE_AGO, options))
        _save_query()
        demo_dashboard.make(now, options, _fill)
        DataSet.objects.at("demo", "queue-times").update(last_write_at=now - _LAST_WRITE_AGO)
    line = f"Data token   {TOKEN_VARIABLE}={secret}   for demo/visits"
    dashboard = f"Dashboard    {settings.BASE_URL}/dashboards/{demo_dashboard.SLUG}"
    return DemoResult(variables={TOKEN_VARIABLE: secret}, lines=[line, dashboard])


def wipe() -> None:
    """Delete the demo data sets with their records and tokens. The audit entries stay."""
    demo_dashboard.wipe()
    mine = DataSet.objects.filter(group__name="demo", type__name__in=(*_TYPES, *demo_dashboard.TYPES))
    for data_set in mine:
        before = changes.snapshot(data_set)
        data_set.records.delete()
        audit.record(audit.operator(), "deleted", data_set, before=before)
        data_set.delete()


def _make_data_sets(stored: str) -> str:
    secret = stored if is_secret(stored) else tokens.new_secret()
    if secret != stored:
        for token in AccessToken.objects.filter(data_set__in=DataSet.objects.at("demo", "visits")):
            if tokens.revoke(token):
                audit.record(audit.operator(), "revoked", token, before={"scopes": token.scopes})
    errors = DocumentErrors()
    visits = {"group": "demo", "type": "visits", "expected_every_seconds": 7200, "retention_days": 400}
    document = [
        {**visits, "tokens": [{"scopes": ["write", "read"], "token": secret}]},
        {"group": "demo", "type": "satisfaction", "public": True, **_OPEN},
        {"group": "demo", "type": "queue-times", "expected_every_seconds": 3600},
        *demo_dashboard.DATA_SETS,
    ]
    provision.apply(document, errors)
    if errors.lines:
        raise ValueError("\n".join(errors.lines))
    for data_set in DataSet.objects.filter(group__name="demo"):
        data_set.owners.add(*get_user_model().objects.filter(username="admin"))
    return secret


def _save_query() -> None:
    """Create the saved query that the examples of the API documentation read."""
    visits = DataSet.objects.at("demo", "visits").get()
    question = Question(measure=Measure(field="count"), period="day", split="channel", range=AskedRange(number=_DAYS))
    chosen = {"data_set": visits, "name": "Visits by channel", "chart": "stacked_bar", "is_public": True}
    SavedQuery.objects.get_or_create(
        public_id=DEMO_QUERY, defaults={**chosen, "unit": "visits", "question": question.document()}
    )


def _fill(type: str, values: Iterator[dict[str, object]]) -> None:
    data_set = DataSet.objects.at("demo", type).get()
    if data_set.record_count == 0:
        store.append(data_set.pk, records.check(list(values), auto_ids=()))


def _visits(now: datetime, options: DemoOptions) -> Iterator[dict[str, object]]:
    chance = random.Random(options.seed)  # noqa: S311  demo data
    for hours in range(_DAYS * options.factor * 24, 0, -1):
        hour = now - timedelta(hours=hours)
        busy = 1 if 8 <= hour.hour < 18 and hour.weekday() < 5 else 0.2
        for channel, most in (("web", 120), ("phone", 30), ("counter", 15)):
            yield {
                "_id": f"{hour:%Y%m%dT%H}-{channel}",
                "_timestamp": moments.write(hour),
                "channel": channel,
                "count": round(most * busy * chance.uniform(0.6, 1)),
            }


def _satisfaction(now: datetime, options: DemoOptions) -> Iterator[dict[str, object]]:
    chance = random.Random(options.seed)  # noqa: S311
    monday = (now - timedelta(days=now.weekday())).replace(hour=0)
    for weeks in range(_WEEKS, 0, -1):
        week = monday - timedelta(weeks=weeks)
        yield {
            "_id": f"{week:%G-W%V}",
            "_timestamp": moments.write(week),
            "_start_at": moments.write(week),
            "_end_at": moments.write(week + timedelta(weeks=1)),
            "answers": chance.randint(180, 420),
            "satisfied": round(chance.uniform(0.7, 0.93), 3),
        }


def _queue_times(last: datetime, options: DemoOptions) -> Iterator[dict[str, object]]:
    chance = random.Random(options.seed)  # noqa: S311
    for hours in range(48, -1, -1):
        hour = last - timedelta(hours=hours)
        minutes = [round(chance.expovariate(1 / 9), 1) for _ in range(3)]
        yield {"_id": f"{hour:%Y%m%dT%H}", "_timestamp": moments.write(hour), "office": "North", "minutes": minutes}
