"""The entries of public data sets. Source: docs/reference/open-data.md §3."""

from collections.abc import Sequence

from django.conf import settings
from django.db.models import OuterRef, QuerySet, Subquery

from datasets.catalogue.entries import CatalogueEntry, Download
from datasets.models import DataSet, Record
from datasets.models.data_set import STORE_ID

PAGE = 1_000  # data sets in one document


def url_of(data_set: DataSet) -> str:
    return f"{settings.DATA_BASE_URL}/data/{data_set.group}/{data_set.type}"


def csv_url(data_set: DataSet) -> str:
    return f"{url_of(data_set)}?format=csv"


def csv_metadata_url(data_set: DataSet) -> str:
    return f"{url_of(data_set)}.csv-metadata.json"


def published(group: str, type: str) -> CatalogueEntry | None:
    """Return the entry of the data set at this path, or None if it is not public."""
    found = _with_period(DataSet.objects.at(group, type).filter(public=True)).first()
    return _entry(found) if found is not None else None


def after(pk: int) -> tuple[Sequence[CatalogueEntry], int | None]:
    """Return the entries of one page of public data sets, and the id after which the next page starts."""
    found = DataSet.objects.filter(public=True, pk__gt=pk).select_related("group", "type").order_by("pk")
    rows = list(_with_period(found)[: PAGE + 1])
    return [_entry(row) for row in rows[:PAGE]], rows[PAGE - 1].pk if len(rows) > PAGE else None


def _with_period(found: QuerySet[DataSet]) -> QuerySet[DataSet]:
    """Add the first and the last moment, each by one look-up in an index."""
    times = Record.objects.filter(store_id=OuterRef("store")).values("timestamp")
    return found.alias(store=STORE_ID).annotate(
        first_at=Subquery(times.order_by("timestamp", "record_id")[:1]),
        last_at=Subquery(times.order_by("-timestamp", "-record_id")[:1]),
    )


def _entry(data_set: DataSet) -> CatalogueEntry:
    url = url_of(data_set)
    first, last = getattr(data_set, "first_at", None), getattr(data_set, "last_at", None)
    return CatalogueEntry(
        url=url,
        title=_title(data_set),
        description=data_set.description,
        licence=data_set.licence,
        contact=data_set.contact,
        created_at=data_set.created_at,
        changed_at=data_set.last_write_at or data_set.created_at,
        covers=(first, last) if first is not None and last is not None else None,
        downloads=(
            Download(
                url=csv_url(data_set),
                title="CSV",
                media_type="text/csv",
                described_by=csv_metadata_url(data_set),
            ),
            Download(url=url, title="JSON in pages", media_type="application/json"),
            Download(url=f"{url}?format=ndjson", title="NDJSON", media_type="application/x-ndjson"),
            Download(url=f"{url}?format=parquet", title="Parquet", media_type="application/vnd.apache.parquet"),
        ),
    )


def _title(data_set: DataSet) -> str:
    """Return the path as words, such as `Pay: weekly volumes`."""
    group, type = (str(word).replace("-", " ").replace("_", " ").strip() for word in (data_set.group, data_set.type))
    return f"{group[:1].upper()}{group[1:]}: {type}"
