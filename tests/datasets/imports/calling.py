"""Call the API of imports, and do the work of the worker."""

from typing import Any

from django.test import Client

from datasets.imports import job
from datasets.models import DataImport, DataSet


def call(
    method: str,
    data_set: DataSet,
    secret: str,
    path: str = "",
    body: bytes = b"",
    *,
    kind: str = "text/csv",
    query: str = "",
    **headers: str,
) -> Any:
    """Call a path below `/imports`. headers: with `_` for `-`"""
    url = f"/data/{data_set.group}/{data_set.type}/imports{path}" + (f"?{query}" if query else "")
    sent = {"Authorization": f"Bearer {secret}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return Client().generic(method, url, body, content_type=kind, headers=sent, CONTENT_TYPE=kind)


def work(import_id: str) -> DataImport:
    """Work on an import until it is over or waits for a person."""
    run = DataImport.objects.get(pk=import_id)
    while job.work(run):
        run.refresh_from_db()
    run.refresh_from_db()
    return run
