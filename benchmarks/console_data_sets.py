"""Measure the console's pages of a large data set: `python -m benchmarks.console_data_sets [records]` on DATABASE_URL.

It prints one JSON line for each list and search: median, minimum and maximum of five rounds. The target is one second.
The data set is new, among a hundred empty ones, and all are deleted afterwards. Source: docs/reference/console.md §4.4.
"""

import sys

from benchmarks import read_data_sets as reading
from config.audit.models import AuditEvent

from django.contrib.auth.models import User  # isort: skip  Django is set up by the module above
from django.test import Client  # isort: skip
from django.urls import reverse  # isort: skip

from datasets import store, tokens
from datasets.columns import building
from datasets.models import DataGroup, DataSet, DataType

OTHERS = 100


def main(count: int) -> None:
    reading.prepare()
    group = DataGroup.objects.get_or_create(name="benchmark")[0]
    types = [DataType.objects.get_or_create(name=f"benchmark-{number}")[0] for number in range(OTHERS + 1)]
    data_sets = [DataSet.objects.create(group=group, type=type, public=True) for type in types]
    user = User.objects.create_superuser("benchmark", "benchmark@example.org", None)
    try:
        reading.fill(data_sets[0], count)
        measure(data_sets[0], user)
    finally:
        data_sets[0].records._raw_delete("default")
        tokens.AccessToken.objects.filter(data_set__in=data_sets).delete()
        DataSet.objects.filter(pk__in=[each.pk for each in data_sets]).delete()
        user.delete()


def measure(data_set: DataSet, user: User) -> None:
    data_set.refresh_from_db()
    store.fields_seen.note(data_set)
    client = Client()
    client.force_login(user)
    newest = data_set.records.order_by("-timestamp").values_list("record_id", flat=True)[0]
    lists = {
        "data sets": reverse("admin:datasets_dataset_changelist"),
        "data sets, searched": reverse("admin:datasets_dataset_changelist") + "?q=benchmark",
        "data sets with refused writes": reverse("admin:datasets_dataset_changelist") + "?refusals=yes",
        "groups": reverse("admin:datasets_datagroup_changelist"),
        "types": reverse("admin:datasets_datatype_changelist"),
        "tokens of all sets": reverse("admin:datasets_accesstoken_changelist"),
    }
    for tab in ("overview", "records", "tokens", "retention", "export", "activity", "change", "empty"):
        lists[f"one set: {tab}"] = reverse(f"admin:datasets_dataset_{tab}", args=[data_set.pk])
    for figure, url in lists.items():
        reading.alone(figure, lambda url=url: opened(client.get(url)))
    records, retention = (
        reverse(f"admin:datasets_dataset_{tab}", args=[data_set.pk]) for tab in ("records", "retention")
    )
    searches = {
        "records by _id": (records, {"record_id": newest}),
        "records of a month": (records, {"start_at": "2024-06-01", "end_at": "2024-07-01"}),
        "retention by days, previewed": (retention, {"retention_days": "100", "step": "preview"}),
        "retention by number, previewed": (retention, {"max_records": "1000", "step": "preview"}),
    }
    for figure, (url, sent) in searches.items():
        reading.alone(figure, lambda url=url, sent=sent: opened(client.post(url, sent)))
    chart = reverse("admin:datasets_dataset_chart", args=[data_set.pk])
    query = "?period=month&last=40&measure=count%3Asum&split=channel&kind=bars"
    drawn = "chart over all records"
    reading.alone(f"{drawn} from the row store", lambda: opened(client.get(chart + query)), rounds=3)
    building.build(data_set, seconds=3600, wait=False)
    by_days = {"retention_days": "100", "step": "preview"}
    reading.alone("retention by days, previewed with column files", lambda: opened(client.post(retention, by_days)))
    reading.alone(f"{drawn} from column files", lambda: opened(client.get(chart + query)), rounds=3)
    building.drop(data_set)
    reading.show("audit rows", AuditEvent.objects.count())


def opened(answer: object) -> None:
    assert getattr(answer, "status_code", 0) == 200, answer


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
