"""What needs a person now: alarms that are raised, and data sets that are late. See `config.console.needs`."""

from collections.abc import Iterator

from django.http import HttpRequest
from django.urls import reverse

from config import formats
from config.console.needs import Need, Needs
from datasets.admin import access


def find(request: HttpRequest) -> Iterator[Need]:
    yield from _alarms(request)
    if not access.is_open_to(request):
        return
    number = access.data_sets_of(request).exclude(late_since=None).count()
    if number:
        text = f"{formats.counted(number, 'data set is', 'data sets are')} late: an expected write is missing."
        url = f"{reverse('admin:datasets_dataset_changelist')}?late=yes"
        yield Need(text=text, button="View late data sets", url=url, is_urgent=True)


def _alarms(request: HttpRequest) -> Iterator[Need]:
    number = access.alarms_of(request).exclude(raised_at=None).count()
    if number:
        text = f"{formats.counted(number, 'alarm is', 'alarms are')} raised."
        url = f"{reverse('admin:datasets_alarm_changelist')}?state=raised"
        yield Need(text=text, button="View alarms", url=url, is_urgent=True)


NEEDS = Needs(find=find)
