"""What is stored already of the services a document names: found with one query a table, however long it is."""

from collections import defaultdict
from typing import Generic, TypeVar
from uuid import UUID

from django.db.models import F, Model, Q

from notifications.management.declarations import ServiceDeclaration
from notifications.models import (
    ApiKey,
    CallbackEndpoint,
    GuestListEntry,
    ReplyToAddress,
    Service,
    SmsSender,
    TeamMember,
    Template,
    TemplateVersion,
)
from notifications.validation.names import same_case

Row = TypeVar("Row", bound=Model)


class Table(Generic[Row]):
    """The rows of these services, and beside them those the document names by id, whosever they are."""

    def __init__(self, model: type[Row], services: list[Service], ids: list[UUID] | None = None) -> None:
        self._by_service: dict[UUID, list[Row]] = defaultdict(list)
        self.by_id: dict[UUID, Row] = {}
        for row in model._default_manager.filter(Q(service__in=services) | Q(pk__in=ids or [])).order_by("created_at"):
            self._by_service[row.service_id].append(row)  # type: ignore[attr-defined]  # all of these have one
            self.by_id[row.pk] = row

    def of(self, service: Service) -> list[Row]:
        return self._by_service[service.id]


class Existing:
    """Everything stored that a document may be about."""

    def names_like(self, name: str, *, but: Service | None) -> set[str]:
        """Return the names of other services that differ from this one in nothing but case."""
        alike = self._alike[same_case(name)] - ({but.pk} if but else set())
        return {self._names[pk] for pk in alike}

    def note_name(self, service: Service) -> None:
        """Remember what the document calls a service."""
        self._alike[same_case(self._names.get(service.pk, ""))].discard(service.pk)
        self._note(service.pk, service.name)

    def _note(self, pk: UUID, name: str) -> None:
        self._names[pk] = name
        self._alike[same_case(name)].add(pk)

    def __init__(self, declared: list[ServiceDeclaration]) -> None:
        ids = [one.id for one in declared if one.id]
        names = [one.name for one in declared if one.name and not one.id]
        services = list(Service.objects.filter(Q(id__in=ids) | Q(name__in=names)))
        self._names: dict[UUID, str] = {}
        self._alike: defaultdict[str, set[UUID]] = defaultdict(set)
        for pk, name in Service.objects.values_list("pk", "name"):
            self._note(pk, name)
        self.services = {service.id: service for service in services}
        self.services_by_name: dict[str, list[Service]] = defaultdict(list)
        for service in services:
            self.services_by_name[service.name].append(service)

        self.team = Table(TeamMember, services)
        self.guest_list = Table(GuestListEntry, services)
        self.sms_senders = Table(SmsSender, services, [row.id for one in declared for row in one.sms_senders if row.id])
        self.reply_to_addresses = Table(
            ReplyToAddress, services, [row.id for one in declared for row in one.reply_to_addresses if row.id]
        )
        self.templates = Table(Template, services, [row.id for one in declared for row in one.templates if row.id])
        self.api_keys = Table(ApiKey, services)
        self.callbacks = Table(CallbackEndpoint, services)
        self.versions = {
            version.template_id: version
            for version in TemplateVersion.objects.filter(
                template__service__in=services, number=F("template__current_version")
            )
        }
