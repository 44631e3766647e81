"""Find data sets by path, name in messages, token or request id. Source: docs/reference/console.md §3.19."""

import re
from collections.abc import Iterable

from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Concat
from django.http import HttpRequest

from config.console import find
from config.console.find import MOST_OF_A_KIND, Finder, Match
from config.reading import read_uuid
from datasets.admin.access import data_sets_of
from datasets.models import AccessToken, DataSet, WriteError
from datasets.tokens import hash_secret

_PART = "([a-z0-9][a-z0-9_-]{0,59})"
_PATH = re.compile(rf"(?:.*/data/)?/?{_PART}/{_PART}/?(?:\?.*)?")
_SHOWN_CHARACTERS = 8  # of a token, in the console and in logs


def _find(request: HttpRequest, term: str) -> list[Match]:
    mine = data_sets_of(request)
    found = [*_of_request(term, mine), *_tokens(term, mine), *_named(term, mine)]
    return find.matches(request, found)


def _named(term: str, mine: QuerySet[DataSet]) -> Iterable[DataSet]:
    """Return the data set with this path, this URL, or this name in messages, which is `{group}_{type}`."""
    if found := _PATH.fullmatch(term):
        return mine.filter(group__name=found[1], type__name=found[2])
    if "_" not in term:
        return []
    return mine.alias(in_messages=Concat(F("group__name"), Value("_"), F("type__name"))).filter(in_messages=term)


def _tokens(term: str, mine: QuerySet[DataSet]) -> Iterable[AccessToken]:
    """Return the tokens that start with `term`, or the token that `term` is."""
    if len(term) < _SHOWN_CHARACTERS:
        return []
    is_it = Q(prefix=term) if len(term) == _SHOWN_CHARACTERS else Q(token_hash=hash_secret(term))
    return AccessToken.objects.filter(is_it, data_set__in=mine)


def _of_request(term: str, mine: QuerySet[DataSet]) -> Iterable[DataSet]:
    """Return the data set that refused a request. Only its newest errors are stored."""
    request_id = read_uuid(term)
    if request_id is None:
        return []
    return mine.filter(pk__in=WriteError.objects.filter(request_id=request_id).values("data_set"))


def _suggest(request: HttpRequest, term: str) -> list[Match]:
    """Return the data sets with this part of a path."""
    mine = data_sets_of(request).alias(path=Concat(F("group__name"), Value("/"), F("type__name")))
    return find.matches(request, mine.filter(path__icontains=term).order_by("path")[:MOST_OF_A_KIND])


FINDER = Finder(find=_find, suggest=_suggest)
