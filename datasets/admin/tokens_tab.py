"""The list of one data set's tokens. Source: docs/reference/console.md §2.15."""

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet, Sum
from django.db.models.functions import Coalesce
from django.db.models.query_utils import Q
from django.utils import timezone
from django.utils.safestring import SafeString

from config.console import cells
from datasets.models import AccessToken

_WEEK = timedelta(days=7)


def rows(found: QuerySet[AccessToken]) -> list[Any]:
    """Return tokens, valid ones first, with the calls of 7 days and a chip for the state."""
    week = Q(days__day__gt=timezone.now().date() - _WEEK)
    shown = found.select_related("created_by").order_by("-pk")
    tokens: list[Any] = list(shown.annotate(calls=Coalesce(Sum("days__calls", filter=week), 0)))
    for token in tokens:
        token.chip = state(token)
    return sorted(tokens, key=lambda token: not token.is_live)


def state(token: AccessToken) -> SafeString:
    if token.revoked_at is not None:
        return cells.chip("Revoked")
    if not token.is_live:
        return cells.chip("Expired")
    return cells.chip("Expires", "warn") if token.expires_at else cells.chip("Valid", "good")
