"""Entity tags and `Cache-Control` of answers. Source: docs/reference/data-sets.md §12."""

import hashlib

from django.conf import settings
from django.utils.http import parse_etags
from rest_framework.request import Request

from datasets.models import DataSet


def entity_tag(*decisive: object) -> str:
    """Return a weak tag, because the plain and the compressed answer share it. decisive: what decides the answer"""
    named = ".".join(map(str, decisive))
    return f'W/"{hashlib.sha256(named.encode()).hexdigest()[:32]}"'


def cache_control(data_set: DataSet, *, is_public: bool) -> str:
    if not is_public:
        return "private, no-cache"
    seconds = settings.DATASETS_REALTIME_CACHE_SECONDS if data_set.realtime else settings.DATASETS_CACHE_SECONDS
    return f"max-age={seconds}, must-revalidate"


def is_current(request: Request, tag: str) -> bool:
    """Return whether the caller has the answer of this tag."""
    known = [each.removeprefix("W/") for each in parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))]
    return "*" in known or tag.removeprefix("W/") in known
