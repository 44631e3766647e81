"""The catalogue in DCAT 3 as JSON-LD. Source: docs/reference/open-data.md §3; https://www.w3.org/TR/vocab-dcat-3/."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from urllib.parse import quote

from datasets.catalogue.entries import CatalogueEntry, Download
from datasets.licences import LICENCES
from datasets.records import moments

Json = dict[str, Any]  # Any: JSON-LD has many shapes

_CONTEXT = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "hydra": "http://www.w3.org/ns/hydra/core#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_MEDIA_TYPES = "https://www.iana.org/assignments/media-types/"


def catalogue(entries: Iterable[CatalogueEntry], *, url: str, page_url: str, next_url: str | None) -> Json:
    """Return one page. url: of the catalogue; page_url: of this page"""
    view: Json = {"@id": page_url, "@type": "hydra:PartialCollectionView", "hydra:first": _iri(url)}
    if next_url is not None:
        view["hydra:next"] = _iri(next_url)
    return {
        "@context": _CONTEXT,
        "@id": url,
        "@type": ["dcat:Catalog", "hydra:Collection"],
        "dct:title": "Public data sets",
        "dct:description": "The data sets of this service that anyone can read.",
        "hydra:view": view,
        "dcat:dataset": [_data_set(entry) for entry in entries],
    }


def _data_set(entry: CatalogueEntry) -> Json:
    licence = _iri(LICENCES[entry.licence].url) if entry.licence in LICENCES else None
    found: Json = {
        "@id": entry.url,
        "@type": "dcat:Dataset",
        "dct:identifier": entry.url,
        "dct:title": entry.title,
        "dct:description": entry.description,
        "dct:license": licence,
        "dcat:contactPoint": _contact(entry),
        "dct:issued": _moment(entry.created_at),
        "dct:modified": _moment(entry.changed_at),
        "dct:temporal": _period(entry),
        "dcat:landingPage": _iri(entry.page) if entry.page else None,
        "dcat:distribution": [_distribution(one, licence) for one in entry.downloads],
    }
    return {name: value for name, value in found.items() if value}


def _distribution(download: Download, licence: Json | None) -> Json:
    found: Json = {
        "@type": "dcat:Distribution",
        "dct:title": download.title,
        "dcat:accessURL": _iri(download.url),
        "dcat:downloadURL": _iri(download.url),
        "dcat:mediaType": _iri(_MEDIA_TYPES + download.media_type),
        "dct:license": licence,
        "foaf:isPrimaryTopicOf": _iri(download.described_by) if download.described_by else None,
    }
    return {name: value for name, value in found.items() if value}


def _contact(entry: CatalogueEntry) -> Json | None:
    if not entry.contact:
        return None
    is_url = "://" in entry.contact
    reached = {"vcard:hasURL": _iri(entry.contact)} if is_url else {"vcard:hasEmail": _mail(entry.contact)}
    return {"@type": "vcard:Kind", "vcard:fn": entry.contact, **reached}


def _mail(contact: str) -> Json:
    return {"@id": f"mailto:{quote(contact, safe='@.+-_')}"}


def _period(entry: CatalogueEntry) -> Json | None:
    if entry.covers is None:
        return None
    first, last = entry.covers
    return {"@type": "dct:PeriodOfTime", "dcat:startDate": _moment(first), "dcat:endDate": _moment(last)}


def _moment(at: datetime | None) -> Json | None:
    return {"@type": "xsd:dateTime", "@value": moments.write(at)} if at is not None else None


def _iri(url: str) -> Json:
    """Return a reference. Characters that no IRI can contain are escaped."""
    return {"@id": quote(url, safe="!#$%&'()*+,/:;=?@[]~")}
