"""An entry of the catalogue: a public data set or another published page. Source: docs/reference/open-data.md §3."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from config.areas import parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """One form of the data. described_by: the URL of its CSVW metadata"""

    url: str
    title: str
    media_type: str
    described_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """What catalogues show.

    url: its address, which also identifies it; page: a page for people
    licence: SPDX identifier; contact: email address or URL
    covers: the first and the last moment of its records
    """

    url: str
    title: str
    description: str = ""
    licence: str = ""
    contact: str = ""
    created_at: datetime | None = None
    changed_at: datetime | None = None
    covers: tuple[datetime, datetime] | None = None
    page: str = ""
    downloads: tuple[Download, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntries:
    """A part that adds entries to the first page of the catalogue. find: yields them, published ones only"""

    find: Callable[[], Iterable[CatalogueEntry]]


def of_parts() -> Iterable[CatalogueEntry]:
    return (entry for part in parts(CatalogueEntries) for entry in part.find())
