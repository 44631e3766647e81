"""What developers need of one data set: URL, tokens, example calls and refused writes.

Source: docs/reference/console.md §2.15.
"""

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet, Sum
from django.db.models.functions import Coalesce
from django.db.models.query_utils import Q
from django.utils import timezone
from django.utils.safestring import SafeString

from config.console import cells
from datasets import tokens
from datasets.admin import examples
from datasets.models import AccessToken, DataSet, WriteError

_WEEK = timedelta(days=7)
_TOKEN = "$DATA_TOKEN"  # noqa: S105  a shell variable


def context(data_set: DataSet, shown: QuerySet[AccessToken]) -> dict[str, Any]:
    """Return what the page shows. shown: the tokens that the person may see"""
    return {
        "url": examples.url(data_set),
        "rows": rows(shown.filter(data_set=data_set)),
        "needs_writer": not data_set.is_of_product and not tokens.live_of(data_set).filter(may_write=True).exists(),
        "post": examples.write(data_set, _TOKEN),
        "put": examples.empty(data_set, _TOKEN),
        "write_errors": WriteError.objects.filter(data_set=data_set),
    }


def rows(found: QuerySet[AccessToken]) -> list[Any]:
    """Return tokens, valid ones first, with the calls of 7 days and a chip for the state."""
    week = Q(days__day__gt=timezone.now().date() - _WEEK)
    shown: list[Any] = list(
        found.select_related("created_by").order_by("-pk").annotate(calls=Coalesce(Sum("days__calls", filter=week), 0))
    )
    for token in shown:
        token.chip = state(token)
    return sorted(shown, key=lambda token: not token.is_live)


def state(token: AccessToken) -> SafeString:
    if token.revoked_at is not None:
        return cells.chip("Revoked")
    if not token.is_live:
        return cells.chip("Expired")
    return cells.chip("Expires", "warn") if token.expires_at else cells.chip("Valid", "good")
