"""What needs a person now: raised alarms, late data sets, and public ones that catalogues cannot describe.

See `config.console.needs`.
"""

from collections.abc import Iterator

from django.http import HttpRequest
from django.urls import reverse

from config import formats
from config.console.needs import Need, Needs
from datasets.admin import access
from datasets.models.data_set import INCOMPLETE

_NAMED = 3  # more are counted


def find(request: HttpRequest) -> Iterator[Need]:
    yield from _alarms(request)
    if not access.is_open_to(request):
        return
    number = access.data_sets_of(request).exclude(late_since=None).count()
    if number:
        text = f"{formats.counted(number, 'data set is', 'data sets are')} late: an expected write is missing."
        url = f"{reverse('admin:datasets_dataset_changelist')}?late=yes"
        yield Need(text, "View late data sets", url, is_urgent=True)
    yield from _incomplete(request)


def _incomplete(request: HttpRequest) -> Iterator[Need]:
    """Yield a line for public data sets without a description, a licence or a contact."""
    found = access.data_sets_of(request).filter(INCOMPLETE).select_related("group", "type")
    named = list(found[: _NAMED + 1])
    if not named:
        return
    url = f"{reverse('admin:datasets_dataset_changelist')}?incomplete=yes"
    if len(named) == 1:
        lacking = [name for name in ("description", "licence", "contact") if not getattr(named[0], name)]
        url = reverse("admin:datasets_dataset_change", args=[named[0].pk])
        text = f"The public data set {named[0]} has no {formats.listed(lacking, 'or')}."
    elif len(named) <= _NAMED:
        subject = f"The public data sets {formats.listed([str(one) for one in named], 'and')}"
        text = f"{subject} need a description, a licence and a contact."
    else:
        text = f"{formats.number(found.count())} public data sets need a description, a licence and a contact."
    yield Need(text, "View settings" if len(named) == 1 else "View these data sets", url)


def _alarms(request: HttpRequest) -> Iterator[Need]:
    number = access.alarms_of(request).exclude(raised_at=None).count()
    if number:
        text = f"{formats.counted(number, 'alarm is', 'alarms are')} raised."
        url = f"{reverse('admin:datasets_alarm_changelist')}?state=raised"
        yield Need(text, "View alarms", url, is_urgent=True)


NEEDS = Needs(find=find)
