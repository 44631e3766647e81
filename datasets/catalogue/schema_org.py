"""An entry as a `Dataset` of schema.org in JSON-LD. Source: docs/reference/open-data.md §2."""

import json
from typing import Any

from django.utils.safestring import SafeString

from datasets.catalogue.entries import CatalogueEntry
from datasets.licences import LICENCES
from datasets.records import moments

Json = dict[str, Any]  # Any: JSON-LD has many shapes


def data_set(entry: CatalogueEntry, *, catalogue_url: str) -> Json:
    """Return the document. Settings that the data set lacks have no key."""
    found: Json = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "@id": entry.url,
        "url": entry.page or entry.url,
        "name": entry.title,
        "description": entry.description,
        "license": LICENCES[entry.licence].url if entry.licence in LICENCES else "",
        "creator": _contact(entry.contact),
        "temporalCoverage": "/".join(map(moments.write, entry.covers)) if entry.covers else "",
        "dateCreated": moments.write(entry.created_at) if entry.created_at else "",
        "dateModified": moments.write(entry.changed_at) if entry.changed_at else "",
        "isAccessibleForFree": True,
        "includedInDataCatalog": {"@type": "DataCatalog", "url": catalogue_url},
        "distribution": [
            {"@type": "DataDownload", "contentUrl": one.url, "encodingFormat": one.media_type, "name": one.title}
            for one in entry.downloads
        ],
    }
    return {name: value for name, value in found.items() if value}


def script(entry: CatalogueEntry, *, catalogue_url: str) -> SafeString:
    """Return the document as a data block for the head of a page. No text can end the element."""
    text = json.dumps(data_set(entry, catalogue_url=catalogue_url), ensure_ascii=True)
    escaped = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return SafeString(f'<script type="application/ld+json">{escaped}</script>')


def _contact(contact: str) -> Json | None:
    if not contact:
        return None
    point = {"@type": "ContactPoint", ("email" if "://" not in contact else "url"): contact}
    return {"@type": "Organization", "contactPoint": point}
