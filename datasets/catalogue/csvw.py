"""The CSVW metadata of the CSV of a public data set.

Source: docs/reference/open-data.md §4; https://www.w3.org/TR/tabular-metadata/.
"""

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any
from urllib.parse import quote

from cachetools import TTLCache

from datasets.catalogue.data_sets import csv_url
from datasets.catalogue.entries import CatalogueEntry
from datasets.licences import LICENCES
from datasets.models import DataSet, FieldSeen
from datasets.queries import header
from datasets.records import moments

Json = dict[str, Any]  # Any: JSON of many shapes

# The headers of 100 states of data sets. Without column files, each needs a read of all bodies.
_names: TTLCache[tuple[int, int], Sequence[str]] = TTLCache(maxsize=100, ttl=3_600)
_lock = Lock()
_NOT_IN_NAMES = str.maketrans({"-": "%2D", "~": "%7E"})  # `quote` keeps them
_ONE_KIND = {"number": "number", "boolean": "boolean", "array": "json", "object": "json"}


def metadata(data_set: DataSet, entry: CatalogueEntry) -> Json:
    """Return the document. Raises TooManyColumns, as the CSV does."""
    titles = _titles(data_set)
    types = {field.name: set(field.types) for field in FieldSeen.objects.filter(data_set=data_set)}
    units = data_set.units or {}
    names = _column_names(titles)
    found: Json = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": csv_url(data_set),
        "dc:title": entry.title,
        "dc:description": entry.description,
        "dc:license": {"@id": LICENCES[entry.licence].url} if entry.licence in LICENCES else None,
        "dc:modified": moments.write(entry.changed_at) if entry.changed_at else None,
        "tableSchema": {
            "columns": [
                _column(title, name, types.get(title, set()), units.get(title))
                for title, name in zip(titles, names, strict=True)
            ],
            **({"primaryKey": names[titles.index("_id")]} if "_id" in titles else {}),
        },
    }
    return {name: value for name, value in found.items() if value}


def _titles(data_set: DataSet) -> Sequence[str]:
    key = (data_set.store_id, data_set.revision)
    with _lock:
        kept = _names.get(key)
    if kept is not None:
        return kept
    found = header.names(data_set)
    with _lock:
        _names[key] = found
    return found


def _column(title: str, name: str, types: set[str], unit: str | None) -> Json:
    found: Json = {"titles": title, "name": name, "datatype": _datatype(title, types)}
    if title in ("_id", "_timestamp"):
        found["required"] = True
    if unit is not None:
        found["schema:unitText"] = unit
    return found


def _datatype(title: str, types: set[str]) -> str:
    """Return the type of a column: text, unless all values of the sample are of one other kind."""
    if title.startswith("_"):
        return "string" if title == "_id" else "dateTime"
    kinds = {_ONE_KIND.get(word, "string") for word in types if word != "null"}
    return kinds.pop() if len(kinds) == 1 else "string"


def _column_names(titles: Iterable[str]) -> list[str]:
    """Return a name for each column: percent-encoded, without an underscore at the start, and each once.

    >>> _column_names(["_id", "a b", "id"])
    ['id', 'a%20b', 'id_2']
    """
    found: dict[str, None] = {}
    for title in titles:
        wanted = name = quote(title.lstrip("_"), safe="").translate(_NOT_IN_NAMES) or "column"
        number = 2
        while name in found:
            name, number = f"{wanted}_{number}", number + 1
        found[name] = None
    return [*found]
