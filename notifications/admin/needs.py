"""What needs a person now in the chosen service or, for operators, in all services: see `config.console.needs`.

Each line costs one query of a counter or of an indexed or small table.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any  # filters and rows of any model
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Exists, Max, OuterRef, Q, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from config import formats, utc_days
from config.console.needs import Need, Needs
from notifications.admin import permissions
from notifications.admin.api_keys.filters import is_ending_in_use
from notifications.admin.limits import bars
from notifications.admin.messages.status_titles import GROUPS
from notifications.jobs import sums
from notifications.models import (
    ApiKey,
    CallbackEndpoint,
    Channel,
    FailingCalls,
    GoLiveRequest,
    GoLiveState,
    ReplyToAddress,
    ReplyToState,
    Role,
    Service,
    Template,
    TemplateVersion,
    VersionState,
)

_TOO_MANY_FAILED, _FEWEST_MESSAGES = 6, 20  # percent; of fewer messages, one failure is no sign
_DAY = timedelta(hours=24)
_NEARLY_USED = 80  # percent of a daily limit
_MOST_SERVICES = 5  # lines of one kind, if an operator has chosen no service


def find(request: HttpRequest) -> Iterator[Need]:
    chosen = permissions.chosen_service(request)
    if chosen is None and not permissions.is_operator(request):
        return
    mine = Q(service__active=True) if chosen is None else Q(service=chosen, service__active=True)
    for roles, part in _PARTS:
        if permissions.may(request, *roles):
            yield from part(mine, chosen)
    if permissions.is_operator(request):
        yield from _requests()


def _failures(mine: Q, chosen: Service | None) -> Iterator[Need]:
    """Yield the channels of which more than 6% of today's messages failed."""
    today = utc_days.today()
    services = Service.objects.filter(active=True)
    if chosen is not None:
        services = services.filter(pk=chosen.pk)
    names = dict(services.values_list("pk", "name"))
    sent: Counter[tuple[UUID, str]] = Counter()
    failed: Counter[tuple[UUID, str]] = Counter()
    counted = sums.messages(("service_id", "channel", "status"), first=today, services=list(names))
    for (service_id, channel, status), number in counted.items():
        sent[service_id, channel] += number
        failed[service_id, channel] += number if status in GROUPS["failed"][1] else 0
    shares = {key: 100 * failed[key] / number for key, number in sent.items() if number >= _FEWEST_MESSAGES}
    high = [(percent, *key) for key, percent in shares.items() if percent > _TOO_MANY_FAILED]
    for percent, service_id, channel in sorted(high, reverse=True)[:_MOST_SERVICES]:
        text = f"{formats.percent(percent)} of today's {Channel(channel).noun}s of {names[service_id]} failed."
        query = {"channel__exact": channel, "made": f"{today}..{today}", "status": "failed"}
        if chosen is None:
            query["service__id__exact"] = str(service_id)
        url = f"{_list('notification')}?{urlencode(query)}"
        yield Need(text, "View failed messages", url, is_urgent=True)


def _callbacks(mine: Q, chosen: Service | None) -> Iterator[Need]:
    paused = CallbackEndpoint.objects.filter(mine).exclude(paused_at=None)
    for number in _any(paused):
        text = f"{formats.counted(number, 'callback is', 'callbacks are')} paused. New events wait."
        yield Need(text, "View paused callbacks", f"{_list('callbackendpoint')}?paused=yes")


def _limits(mine: Q, chosen: Service | None) -> Iterator[Need]:
    shares = bars.highest_shares(mine)
    names = dict(Service.objects.filter(pk__in=list(shares)).values_list("pk", "name"))
    near = [(percent, pk, title) for pk, (percent, title) in shares.items() if percent >= _NEARLY_USED]
    for percent, pk, title in sorted(near, key=lambda one: -one[0])[:_MOST_SERVICES]:
        is_full = percent >= 100
        used = "all" if is_full else formats.percent(percent)
        text = f"{names[pk]} has used {used} of today's limit: {title.lower()}."
        yield Need(text, "View limits", reverse("admin:service_limits", args=[pk]), is_urgent=is_full)


def _keys(mine: Q, chosen: Service | None) -> Iterator[Need]:
    for number in _any(is_ending_in_use(ApiKey.objects.filter(mine))):
        text = f"{formats.counted(number, 'API key')} in use will expire within 14 days."
        yield Need(text, "View keys", f"{_list('apikey')}?state=ending")


def _templates(mine: Q, chosen: Service | None) -> Iterator[Need]:
    """Yield the templates whose change would break calls, so that only test keys use it until somebody decides."""
    waiting = Template.objects.filter(mine, archived_at=None, versions__state=VersionState.TEST).distinct()
    for number in _any(waiting):
        has = formats.counted(number, "template has", "templates have")
        text = f"{has} a version for test keys only. Publish or discard it."
        yield Need(text, "View templates", f"{_list('template')}?waiting=yes")


def _broken_templates(mine: Q, chosen: Service | None) -> Iterator[Need]:
    """Yield the keys whose calls fail since a template was published anyway, if one failed in the last 24 hours."""
    broken = TemplateVersion.objects.filter(template=OuterRef("template"), number=OuterRef("template__current_version"))
    failing = FailingCalls.objects.filter(
        Exists(broken.exclude(breaks_without=[])),
        template__in=Template.objects.filter(mine, archived_at=None),
        key__revoked_at=None,
    )
    grouped = failing.order_by().values("template_id", "template__name", "key__name")
    rows = grouped.annotate(sum=Sum("calls"), last=Max("last_at")).filter(last__gte=timezone.now() - _DAY)
    for row in rows.order_by("-sum", "template__name", "key__name")[:_MOST_SERVICES]:
        calls = formats.counted(row["sum"], "call")
        text = f"{calls} with the key {row['key__name']} failed since the change of template {row['template__name']}."
        url = f"{reverse('admin:notifications_template_change', args=[row['template_id']])}#versions"
        yield Need(text, "View versions", url, is_urgent=True)


def _reply_to(mine: Q, chosen: Service | None) -> Iterator[Need]:
    reply_tos = ReplyToAddress.objects.filter(mine, archived_at=None)
    for number in _any(reply_tos.filter(state=ReplyToState.BOUNCED)):
        text = (
            f"The confirmation email to {formats.counted(number, 'reply-to address', 'reply-to addresses')} came back."
        )
        yield Need(text, "View bounced addresses", f"{_list('replytoaddress')}?state__exact=bounced")
    for number in _any(reply_tos.filter(state=ReplyToState.CHECKING)):
        text = f"{formats.counted(number, 'reply-to address is', 'reply-to addresses are')} not confirmed yet."
        yield Need(text, "View addresses", f"{_list('replytoaddress')}?state__exact=checking")


def _sent_back(mine: Q, chosen: Service | None) -> Iterator[Need]:
    newest = chosen.go_live_requests.first() if chosen is not None and not chosen.live else None
    if newest is not None and newest.state == GoLiveState.SENT_BACK:
        url = reverse("admin:notifications_goliverequest_change", args=[newest.pk])
        yield Need("An operator sent back your request to go live.", "View note", url)


def _requests() -> Iterator[Need]:
    for number in _any(GoLiveRequest.objects.waiting()):
        text = f"{formats.counted(number, 'service asks', 'services ask')} to go live."
        yield Need(text, "View requests", f"{_list('goliverequest')}?state__exact=waiting")


def _any(rows: Any) -> Iterator[int]:
    """Yield the number of rows, unless there are none."""
    if number := rows.count():
        yield number


def _list(model: str) -> str:
    return reverse(f"admin:notifications_{model}_changelist")


_ANY_VIEWER = (Role.SEE_ACTIVITY, Role.MANAGE_SERVICE)
_PARTS: tuple[tuple[tuple[Role, ...], Callable[[Q, Service | None], Iterator[Need]]], ...] = (
    ((Role.SEE_ACTIVITY,), _failures),
    ((Role.MANAGE_API,), _callbacks),
    (_ANY_VIEWER, _limits),
    ((Role.MANAGE_API,), _keys),
    ((Role.EDIT_TEMPLATES,), _templates),
    ((Role.EDIT_TEMPLATES,), _broken_templates),
    ((Role.MANAGE_SERVICE, Role.MANAGE_API), _reply_to),
    ((Role.MANAGE_SERVICE,), _sent_back),
)
NEEDS = Needs(find=find)
