"""Example commands for one data set, ready to paste. Source: docs/reference/console.md §2.14."""

import json

from django.conf import settings
from django.utils import timezone

from datasets.models import DataSet
from datasets.records import moments, names


def url(data_set: DataSet) -> str:
    return f"{settings.DATA_BASE_URL}/data/{data_set.group}/{data_set.type}"


def url_form() -> str:
    """Return the URL of a data set with placeholders for group and type."""
    return f"{settings.DATA_BASE_URL}/data/<group>/<type>"


def empty(data_set: DataSet, secret: str) -> str:
    return (
        f'curl -sS -X PUT "{url(data_set)}" \\\n'
        f"  -H \"Authorization: Bearer {secret}\" -H 'Content-Type: application/json' -d '[]'"
    )


def write(data_set: DataSet, secret: str) -> str:
    now = moments.write(timezone.now().replace(microsecond=0))
    record = {"_timestamp": now, "count": 1}
    record |= {name: now if name in names.MOMENTS else "…" for name in data_set.auto_ids or ()}
    text = json.dumps([record], ensure_ascii=False).replace("'", r"'\''")  # for single quotes in a shell
    return (
        f'curl -sS "{url(data_set)}" -H "Authorization: Bearer {secret}" \\\n'
        f"  -H 'Content-Type: application/json' -d '{text}'"
    )


def read(data_set: DataSet, secret: str) -> str:
    return f'curl -sS "{url(data_set)}?limit=10" -H "Authorization: Bearer {secret}"'


def query(data_set: DataSet, query_string: str) -> str:
    """Return the command of a question."""
    token = "" if data_set.public else ' -H "Authorization: Bearer $DATA_TOKEN"'
    return f'curl -sS "{url(data_set)}?{query_string}"{token}'
