"""Count calls by token, and those without a live one, without a write for each.

Figures may be late by seconds. Source: Staff console §2.15 (calls 7 days; only counted).
"""

from collections import Counter
from datetime import date

from django.db.models import F
from django.utils import timezone

from config import figures
from config.tally import Tally, storing
from datasets.models import AccessToken, AccessTokenDay, DataSet, DataSetDay, is_word

_MOST_ADDRESSES = 1_000  # that strangers may have called since: they choose them, and memory is ours

_calls: Tally[tuple[int, date]] = Tally()
_without_token: Tally[tuple[str, str, date]] = Tally(most=_MOST_ADDRESSES)


def note_call(token_id: int) -> None:
    """Count a call that came with this live token."""
    _calls.add((token_id, timezone.now().date()))


def note_stranger(group: str, type: str) -> None:
    """Count a call that came to this address without a live token, whether or not there is a data set."""
    if is_word(group) and is_word(type):
        _without_token.add((group, type, timezone.now().date()))


def store_pending() -> None:
    """Put all that is pending into the rows of its days."""
    calls, strangers = _calls.take(), _without_token.take()
    if not calls and not strangers:
        return

    def give_back() -> None:
        _calls.give_back(calls)
        _without_token.give_back(strangers)

    with storing(give_back):
        _store_calls(calls)
        _store_strangers(strangers)


def _store_calls(calls: Counter[tuple[int, date]]) -> None:
    known = set(AccessToken.objects.filter(pk__in={pk for pk, _ in calls}).values_list("pk", flat=True))
    for (token_id, day), number in sorted(calls.items()):  # in one order, so that two processes never wait in a ring
        if token_id in known:
            AccessTokenDay.objects.bulk_create([AccessTokenDay(token_id=token_id, day=day)], ignore_conflicts=True)
            AccessTokenDay.objects.filter(token_id=token_id, day=day).update(calls=F("calls") + number)


def _store_strangers(strangers: Counter[tuple[str, str, date]]) -> None:
    for (group, type, day), number in sorted(strangers.items()):
        for data_set_id in DataSet.objects.at(group, type).values_list("pk", flat=True):
            DataSetDay.objects.bulk_create([DataSetDay(data_set_id=data_set_id, day=day)], ignore_conflicts=True)
            row = DataSetDay.objects.filter(data_set_id=data_set_id, day=day)
            row.update(without_token=F("without_token") + number)


figures.also_flush(store_pending)
