"""The permissions of people in services, decided here only. Source: docs/reference/console.md §1.3; trap T8.

Operators may do everything. Other people have the roles of their `TeamMember` rows, read once a request.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Case, Q, QuerySet, Value, When
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString

from config.accounts import scope
from config.audit.masking import mask
from config.console import cells, switcher
from config.console.switcher import ALL, Choice
from config.data_sets import ManagedServices
from config.reading import read_uuid
from notifications.models import Role, Service, TeamMember
from notifications.recipients import phone

is_operator = scope.is_operator

_KEY = "service"  # in the session: the id of the chosen service, or ALL


def roles(request: HttpRequest) -> dict[UUID, frozenset[Role]]:
    """Return this person's roles by service id, read once a request."""
    known: dict[UUID, frozenset[Role]] | None = getattr(request, "roles_in_services", None)
    if known is None:
        known = TeamMember.objects.roles_of(request.user.pk if request.user.is_active else None)
        request.roles_in_services = known  # type: ignore[attr-defined]  # kept for the other questions of this request
    return known


def services_of(request: HttpRequest) -> QuerySet[Service]:
    """Return the services this person belongs to. Pages answer 404 for any other service."""
    if is_operator(request):
        return Service.objects.all()
    return Service.objects.filter(pk__in=list(roles(request)))


def services_with(request: HttpRequest, *wanted: Role) -> QuerySet[Service]:
    """Return the services in which this person has one of these roles."""
    if is_operator(request):
        return Service.objects.all()
    return Service.objects.filter(pk__in=[pk for pk, held in roles(request).items() if held & set(wanted)])


def may_in(request: HttpRequest, service_id: UUID | None, wanted: Iterable[Role]) -> bool:
    """Return whether this person has one of these roles in this service."""
    if is_operator(request):
        return True
    held = roles(request).get(service_id, frozenset()) if service_id is not None else frozenset()
    return bool(held & set(wanted))


def may(request: HttpRequest, *wanted: Role) -> bool:
    """Return whether this person has one of these roles in the chosen service."""
    service = chosen_service(request)
    return may_in(request, service.pk if service else None, wanted)


def go_where_one_may(request: HttpRequest, wanted: Iterable[Role]) -> Service | None:
    """Choose and return another service if only there this person has one of the roles. Return None otherwise.

    A link may lead to a page of another service. Its lists would answer 403 until the person switches.
    """
    if may(request, *wanted):
        return None
    other = services_with(request, *wanted).order_by("-active", "name").first()
    if other is not None:
        choose(request, other)
    return other


def choose(request: HttpRequest, service: Service) -> None:
    """Choose one of this person's services in the switcher, for this request and later ones."""
    _choose(request, str(service.pk))


def listed_services(request: HttpRequest) -> list[Service]:
    """Return the services whose rows lists show: the chosen one, or all services of this person."""
    chosen = chosen_service(request)
    return [chosen] if chosen else list(services_of(request))


def may_see_recipients(request: HttpRequest, service: Service | UUID) -> bool:
    """Return whether this person may see recipients of this service unmasked."""
    return may_in(request, service.pk if isinstance(service, Service) else service, [Role.SEE_RECIPIENTS])


def with_sight(request: HttpRequest, rows: Any) -> Any:
    """Annotate each row with `is_shown_whole`. Columns have no request, so `shown_recipient` reads this value."""
    if is_operator(request):
        return rows.annotate(is_shown_whole=Value(True))
    seen = [pk for pk, held in roles(request).items() if Role.SEE_RECIPIENTS in held]
    return rows.annotate(is_shown_whole=Case(When(service__in=seen, then=Value(True)), default=Value(False)))


def shown(recipient: str, *, is_shown_whole: bool) -> str:
    """Return a recipient in the form for people, masked unless they may see it."""
    text = phone.displayed(recipient)
    return text if is_shown_whole else mask(text)


def shown_recipient(row: Any, recipient: str) -> str:
    """Return a recipient, masked unless `with_sight` marked the row as visible."""
    return shown(recipient, is_shown_whole=getattr(row, "is_shown_whole", False))


def titled(row: Any, shown: str) -> SafeString:
    """Return the text of a link to a row, with its recipient or sender for screen readers."""
    return cells.named(shown, shown_recipient(row, row.title))


def sees_all_services(request: HttpRequest) -> bool:
    """Return whether lists show every service's rows with a service column, as an operator can choose."""
    return is_operator(request) and chosen_service(request) is None


def chosen_service(request: HttpRequest) -> Service | None:
    """Return the service of the switcher, or None for all services and for people without a service.

    Without a valid choice, operators get all services and other people their first.
    """
    if not hasattr(request, "chosen_service"):
        request.chosen_service = _chosen(request)  # type: ignore[attr-defined]  # kept for the rest of this request
    chosen: Service | None = request.chosen_service  # type: ignore[attr-defined]
    return chosen


def _chosen(request: HttpRequest) -> Service | None:
    session = getattr(request, "session", {})  # requests in tests and commands have no session
    wish = session.get(_KEY) or read_uuid(request.COOKIES.get(switcher.REMEMBERED, "")) or ALL
    mine = services_of(request)
    chosen = mine.filter(pk=wish).first() if wish != ALL else None
    if chosen is None and not is_operator(request):
        chosen = mine.order_by("-active", "name").first()
    return chosen


# Called by the menu and the audit.


def _choices(request: HttpRequest) -> list[Choice]:
    chosen = chosen_service(request)
    services = list(services_of(request).order_by("-active", "name"))
    everything = [Choice(value=ALL, name="All services", is_chosen=chosen is None)] if is_operator(request) else []
    return everything + [
        Choice(value=str(one.pk), name=one.name, note=_note(one), is_chosen=one == chosen) for one in services
    ]


def _note(service: Service) -> str:
    if not service.active:
        return "Archived"
    return "Live" if service.live else "Trial"


def _choose(request: HttpRequest, value: str) -> bool:
    if value not in {choice.value for choice in _choices(request)}:
        return False
    request.session[_KEY] = value
    request.__dict__.pop("chosen_service", None)  # the rest of this request uses the new choice
    return True


def _settings_page(request: HttpRequest) -> str:
    chosen = chosen_service(request)
    if chosen is None or not may(request, Role.SEE_ACTIVITY, Role.MANAGE_SERVICE):
        return ""
    return reverse("admin:notifications_service_change", args=[chosen.pk]).removesuffix("change/")  # its steps, too


def _managed(request: HttpRequest) -> list[tuple[str, str]]:
    managed = services_with(request, Role.MANAGE_SERVICE).order_by("name").values_list("pk", "name")
    return [(str(pk), name) for pk, name in managed]


MANAGED_SERVICES = ManagedServices(
    of_account=lambda user: [
        pk for pk, held in TeamMember.objects.roles_of(user.pk).items() if Role.MANAGE_SERVICE in held
    ],
    names=lambda ids: dict(Service.objects.filter(pk__in=ids).order_by("name").values_list("pk", "name")),
)
ACCESS = scope.Access(
    is_open_to=lambda request: bool(roles(request)),
    may_read_some=lambda request: any(Role.MANAGE_SERVICE in held for held in roles(request).values()),
    audited=lambda request: Q(service_id__in=[pk for pk, _ in _managed(request)]),
    title="Service",
    column="service_id",
    choices=_managed,
)
SWITCHER = switcher.Switcher(
    choices=_choices,
    choose=_choose,
    settings_page=_settings_page,
    add_page=lambda request: reverse("admin:notifications_service_add") if is_operator(request) else "",
    services_of=TeamMember.objects.services_of,
)
