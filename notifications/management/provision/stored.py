"""Load the stored rows of the services in a document with one query for each table."""

from collections import defaultdict
from typing import Any
from uuid import UUID

from django.db.models import F, Max, Model, Q

from config.management.declarations import DeclaredRow
from notifications.models import (
    ApiKey,
    CallbackEndpoint,
    GuestListEntry,
    LimitChange,
    ReplyToAddress,
    Service,
    SmsSender,
    TeamMember,
    Template,
    TemplateTag,
    TemplateVersion,
    VersionState,
)
from notifications.validation.names import same_case

# The models with rows of a service → the list in a document that may identify the rows by id.
LISTS: dict[type[Model], str] = {
    TeamMember: "",
    GuestListEntry: "",
    SmsSender: "sms_senders",
    ReplyToAddress: "reply_to_addresses",
    Template: "templates",
    ApiKey: "",
    CallbackEndpoint: "",
}


class StoredServices:
    """The services in a document, all their rows, and the rows of any service that the document identifies by id."""

    def __init__(self, declared: list[DeclaredRow]) -> None:
        ids = [entry.values["id"] for entry in declared if "id" in entry.values]
        names = [entry.values["name"] for entry in declared if "name" in entry.values and "id" not in entry.values]
        self.services = {service.id: service for service in Service.objects.filter(Q(id__in=ids) | Q(name__in=names))}
        self._names = {pk: (name, same_case(name)) for pk, name in Service.objects.values_list("pk", "name")}
        self._rows: defaultdict[tuple[type[Model], UUID], list[Any]] = defaultdict(list)
        self._by_id: dict[tuple[type[Model], object], Any] = {}
        for model, key in LISTS.items():
            named = [row["id"] for entry in declared for row in entry.values.get(key, ()) if "id" in row]
            wanted = Q(service__in=self.services) | Q(pk__in=named)
            for row in model._default_manager.filter(wanted).order_by("created_at"):
                self.add(row)
        # A document states the lasting limits. They wait until a temporary change has ended.
        self.temporary_limits = {
            (row.service_id, row.limit): row
            for row in LimitChange.objects.temporary().filter(service__in=self.services)
        }
        of_services = TemplateVersion.objects.filter(template__service__in=self.services)
        self.versions = {
            version.template_id: version for version in of_services.filter(number=F("template__current_version"))
        }
        numbers = of_services.order_by().values_list("template").annotate(last=Max("number"))
        self.last_numbers: dict[UUID, int] = dict(numbers)
        self.tags: defaultdict[UUID, list[str]] = defaultdict(list)
        for tag in TemplateTag.objects.filter(template__service__in=self.services).order_by("name"):
            self.tags[tag.template_id].append(tag.name)
        self.unpublished: defaultdict[UUID, list[TemplateVersion]] = defaultdict(list)
        for version in of_services.filter(state__in=[VersionState.DRAFT, VersionState.TEST]):
            self.unpublished[version.template_id].append(version)

    def of(self, model: type[Model], service: Service) -> list[Any]:
        return self._rows[model, service.pk]

    def by_id(self, model: type[Model], pk: object) -> Any:
        """Return the row with an id, of any service, or None."""
        return self._by_id.get((model, pk))

    def add(self, row: Any) -> None:
        self._rows[type(row), row.service_id].append(row)
        self._by_id[type(row), row.pk] = row

    def add_service(self, service: Service) -> None:
        """Add a service with its name in the document."""
        self.services[service.pk] = service
        self._names[service.pk] = service.name, same_case(service.name)

    def names_like(self, name: str, *, but: Service | None) -> set[str]:
        """Return the names of services other than `but` that are equal to `name` regardless of case."""
        wanted, own = same_case(name), but.pk if but else None
        return {other for pk, (other, same) in self._names.items() if same == wanted and pk != own}
