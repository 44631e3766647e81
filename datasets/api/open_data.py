"""Describe public data sets: JSON-LD, CSVW metadata, and the catalogue. Source: docs/reference/open-data.md §2 to §4.

These documents are for programs that find data, so they stand beside the API and are not operations of its document.
"""

import hashlib
from itertools import islice
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request

from config.databases import replica
from datasets import errors
from datasets.api import caching
from datasets.api.reading import PREFLIGHT
from datasets.api.views import DataSetArea
from datasets.catalogue import csvw, data_sets, dcat, entries, schema_org
from datasets.models import DataSet
from datasets.queries import time_limit, written

CATALOGUE = "/catalogue.jsonld"
_MOST_OTHERS = 1_000  # entries that are not data sets
_MAX_ID = 2**63 - 1
_MAX_DIGITS = 19


class OpenDataView(DataSetArea):
    """The base: GET, HEAD and OPTIONS, without token, from pages of any site."""

    schema = None  # they are not operations of the OpenAPI document
    authentication_classes = []
    permission_classes = []
    http_method_names = ["get", "head", "options"]

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Any:  # Any: as in Django and in REST framework
        answer = HttpResponse(headers={**PREFLIGHT, "Cache-Control": "no-store", "Content-Length": "0"})
        del answer["Content-Type"]
        return answer

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response.headers["Access-Control-Allow-Origin"] = "*"
        return super().finalize_response(request, response, *args, **kwargs)


class SchemaOrgView(OpenDataView):
    """The `Dataset` of schema.org of one public data set."""

    def get(self, request: Request, group: str, type: str) -> HttpResponse:
        data_set = _public(group, type)
        with replica.reads(), time_limit.limited():
            entry = data_sets.published(group, type)
        if entry is None:  # not public in the replica yet
            raise errors.NothingHere
        found = schema_org.data_set(entry, catalogue_url=settings.DATA_BASE_URL + CATALOGUE)
        return _answer(
            request, found, "application/ld+json", caching.cache_control(data_set, is_public=data_set.public)
        )


class CsvMetadataView(OpenDataView):
    """The CSVW metadata of the CSV of one public data set."""

    def get(self, request: Request, group: str, type: str) -> HttpResponse:
        data_set = _public(group, type)
        with replica.reads(), time_limit.limited():
            entry = data_sets.published(group, type)
            here = _public(group, type)  # as the database of this read has it: a replica may be behind
            found = csvw.metadata(here, entry) if entry is not None else None
        if found is None:
            raise errors.NothingHere
        return _answer(
            request, found, "application/csvm+json", caching.cache_control(data_set, is_public=data_set.public)
        )


class CatalogueView(OpenDataView):
    """All public data sets in DCAT 3, in pages of 1,000. `after` is the id after which a page starts."""

    def get(self, request: Request) -> HttpResponse:
        given = request.query_params.get("after", "")
        if given and not (given.isascii() and given.isdigit() and len(given) <= _MAX_DIGITS and int(given) <= _MAX_ID):
            raise errors.NothingHere
        url = settings.DATA_BASE_URL + CATALOGUE
        with replica.reads(), time_limit.limited():
            found, after = data_sets.after(int(given or 0))
            others = [] if given else list(islice(entries.of_parts(), _MOST_OTHERS))
        document = dcat.catalogue(
            [*others, *found],
            url=url,
            page_url=f"{url}?after={given}" if given else url,
            next_url=f"{url}?after={after}" if after is not None else None,
        )
        fresh = f"max-age={settings.DATASETS_REALTIME_CACHE_SECONDS}, must-revalidate"
        return _answer(request, document, "application/ld+json", fresh)


def _public(group: str, type: str) -> DataSet:
    """Return the public data set at this path. Raises NothingHere, whether there is a private one or none."""
    found = DataSet.objects.at(group, type).filter(public=True).first()
    if found is None:
        raise errors.NothingHere
    return found


def _answer(request: Request, document: dict[str, Any], content_type: str, cache_control: str) -> HttpResponse:
    """Return the document, or 304 if the caller has it."""
    body = written.compact_json(document).encode()
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"Cache-Control": cache_control, "ETag": tag, "Vary": "Accept-Encoding"}
    if caching.is_current(request, tag):
        unchanged = HttpResponse(status=304, headers=headers)
        del unchanged.headers["Content-Type"]
        return unchanged
    return caching.compressed(request, HttpResponse(body, content_type=content_type, headers=headers))
