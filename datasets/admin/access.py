"""Permissions on data sets: managers may use all of them, owners their own.

Source: docs/reference/console.md §1.3.
"""

from collections.abc import Callable, Collection, Set
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from django.contrib.auth.models import Permission, User
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from config.accounts import scope, single_sign_on
from config.console.admin.model_admin import OpenTo
from config.data_sets import DataSets, managed_services, service_names
from datasets.models import AccessToken, Alarm, DataSet, SavedQuery
from datasets.queries import readers
from datasets.queries.readers import ALL, Reader
from datasets.validation import is_path_part

MANAGE_DATA_SETS = "manage data sets"  # the grant of OIDC_ROLES
_CODENAME = "manage_data_sets"
_DIGITS = 18  # more are no id of a row

_Row = TypeVar("_Row", AccessToken, SavedQuery)


def manages_all(request: HttpRequest) -> bool:
    return request.user.has_perm(f"datasets.{_CODENAME}")


def data_sets_of(request: HttpRequest) -> QuerySet[DataSet]:
    """Return the data sets that the person may see and change."""
    if manages_all(request):
        return DataSet.objects.all()
    return DataSet.objects.filter(owners=request.user.pk)


def services_of(request: HttpRequest) -> set[str]:
    """Return the ids of the services that the person manages, read once a request."""
    user = request.user
    ids = partial(managed_services, user) if isinstance(user, User) else set[UUID]
    return scope.once(request, "managed_services", lambda: {str(pk) for pk in ids()})


def service_choices(request: HttpRequest) -> list[tuple[str, str]]:
    """Return id and name of each service that the person manages."""
    return [(str(pk), name) for pk, name in service_names([UUID(one) for one in services_of(request)]).items()]


def parts_of(request: HttpRequest) -> QuerySet[DataSet]:
    """Return the statistics of Signalbox that the person may read only about the services that they manage."""
    found = DataSet.objects.filter(is_of_product=True)
    if manages_all(request) or not services_of(request):
        return found.none()
    return found.exclude(owners=request.user.pk)


def readable_by(request: HttpRequest) -> QuerySet[DataSet]:
    """Return the data sets that the person may read, in whole or in part. `reader_of` limits the records."""
    if manages_all(request) or not services_of(request):
        return data_sets_of(request)
    return DataSet.objects.filter(Q(is_of_product=True) | Q(pk__in=data_sets_of(request).values("pk")))


def part_of(request: HttpRequest, pk: str) -> DataSet | None:
    """Return the data set of this id, if the person may read a part of it."""
    is_id = pk.isascii() and pk.isdigit() and len(pk) <= _DIGITS
    found = parts_of(request).select_related("group", "type").filter(pk=pk).first() if is_id else None
    return None if found is None else mark(request, found)


def mark(request: HttpRequest, data_set: DataSet) -> DataSet:
    """Note at the data set whether the person may read only a part of it, for its pages."""
    data_set.is_read_in_part = data_set.is_of_product and parts_of(request).filter(pk=data_set.pk).exists()
    return data_set


def reader_of(request: HttpRequest, data_set: DataSet) -> Reader:
    """Return which records a person who may open the data set may read. Raises PermissionDenied for none."""
    if not data_set.is_of_product or data_sets_of(request).filter(pk=data_set.pk).exists():
        return ALL
    if not parts_of(request).filter(pk=data_set.pk).exists():
        raise PermissionDenied
    return readers.of(services_of(request), is_of_product=True)


def reads_some(request: HttpRequest) -> bool:
    """Return whether the person may read records of a data set. The menu asks this for each of its entries."""
    return manages_all(request) or scope.once(request, "reads_some_data", lambda: readable_by(request).exists())


def limited_to_services(rows: QuerySet[_Row], request: HttpRequest) -> QuerySet[_Row]:
    """Return the saved queries or tokens of data sets that the person may read, as far as they read no more."""
    whole = Q(data_set__in=data_sets_of(request))
    own = services_of(request)
    parts = rows.filter(data_set__in=parts_of(request), services__isnull=False) if own else rows.none()
    mine = [pk for pk, services in parts.values_list("pk", "services") if services and set(services) <= own]
    return rows.filter(whole | Q(pk__in=mine)) if mine else rows.filter(whole)


def saved_queries_of(request: HttpRequest) -> QuerySet[SavedQuery]:
    """Return the saved queries that the person may see and change.

    Those of statistics that they read in part must measure no data set that is closed to them.
    """
    found = limited_to_services(SavedQuery.objects.all(), request)
    if manages_all(request):
        return found
    closed = DataSet.objects.exclude(pk__in=readable_by(request).values("pk"))
    found = found.exclude(Q(data_set__in=parts_of(request)) & Q(other_sets__in=closed))
    return found.exclude(pk__in=_of_other_services(request))


def _of_other_services(request: HttpRequest) -> list[int]:
    """Return the ids of the queries that divide by statistics of services that the person does not manage."""
    whole = data_sets_of(request).values("pk")
    statistics = DataSet.objects.filter(is_of_product=True).exclude(pk__in=whole)
    found = SavedQuery.objects.filter(other_sets__in=statistics, services__isnull=False)
    own = services_of(request)
    return [pk for pk, services in found.values_list("pk", "services") if not set(services or ()) <= own]


def tokens_of(request: HttpRequest) -> QuerySet[AccessToken]:
    """Return the access tokens that the person may see and change."""
    return limited_to_services(AccessToken.objects.all(), request)


def may_see_of(request: HttpRequest) -> Callable[[SavedQuery, DataSet], bool]:
    """Return whether the person may see what a saved query reads of a data set."""
    whole = set(data_sets_of(request).values_list("pk", flat=True))
    parts = set(parts_of(request).values_list("pk", flat=True))
    services = services_of(request)
    return lambda query, one: one.pk in whole or (one.pk in parts and query.reads_only(services))


def data_sets_of_user(user: User) -> QuerySet[DataSet]:
    """Return the same for a person without a request, such as in a job."""
    if user.has_perm(f"datasets.{_CODENAME}"):
        return DataSet.objects.all()
    return DataSet.objects.filter(owners=user.pk)


def alarms_of(request: HttpRequest) -> QuerySet[Alarm]:
    """Return the alarms of the person's data sets, and those on the services that the person may change."""
    found = Alarm.objects.select_related("data_set__group", "data_set__type")
    if manages_all(request):
        return found
    if not reads_some(request):  # most people of services; the statements below cost more than their page
        return found.on_services(services_of(request))
    mine = Q(data_set__in=data_sets_of(request)) & ~Q(saved_query__in=_of_other_services(request))
    if services_of(request):
        mine |= Q(pk__in=Alarm.objects.on_services(services_of(request)).values("pk"))
        mine |= Q(data_set__in=parts_of(request), saved_query__in=saved_queries_of(request).values("pk"))
    return found.filter(mine)


def may_see_alarms(request: HttpRequest) -> bool:
    """Return whether the person may see the list of alarms."""
    return reads_some(request) or scope.once(request, "has_alarms", lambda: alarms_of(request).exists())


def author(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def _audited(request: HttpRequest) -> Q:
    if manages_all(request):
        return Q(data_set_id__isnull=False)
    return Q(data_set_id__in=list(data_sets_of(request).values_list("pk", flat=True)))


def _choices(request: HttpRequest) -> list[tuple[str, str]]:
    return [(str(one.pk), str(one)) for one in data_sets_of(request).select_related("group", "type")]


def is_open_to(request: HttpRequest) -> bool:
    return manages_all(request) or _has_some(request)


def _has_some(request: HttpRequest) -> bool:
    return scope.once(request, "has_some_data", lambda: data_sets_of(request).exists())


ACCESS = scope.Access(
    is_open_to=is_open_to,
    may_read_some=_has_some,
    audited=_audited,
    title="Data set",
    column="data_set_id",
    choices=_choices,
)


def _of_person(request: HttpRequest) -> dict[int, str]:
    return _paths(data_sets_of(request))


def _named(pks: Collection[int]) -> dict[int, str]:
    return _paths(DataSet.objects.filter(pk__in=pks))


def _ids(paths: Collection[str]) -> dict[str, int]:
    wanted = Q(pk__in=[])
    for path in paths:
        group, _, type = path.partition("/")
        if is_path_part(group) and is_path_part(type):
            wanted |= Q(group__name=group, type__name=type)
    return {path: pk for pk, path in _paths(DataSet.objects.filter(wanted)).items()}


def _paths(rows: QuerySet[DataSet]) -> dict[int, str]:
    return {one.pk: str(one) for one in rows.select_related("group", "type")}


DATA_SETS = DataSets(of_person=_of_person, paths=_named, ids=_ids)


class ManagersOnly(OpenTo):
    """Allow only people who manage all data sets."""

    people = manages_all


class ManagersAndOwners:
    """Allow managers, and owners for their own data sets. `get_queryset` of the admin excludes the others.

    People who manage services may open what reads the statistics of no other service.
    """

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is None:
            return reads_some(request)
        if isinstance(obj, DataSet):
            return data_sets_of(request).filter(pk=obj.pk).exists()
        rows = saved_queries_of(request) if isinstance(obj, SavedQuery) else tokens_of(request)
        return rows.filter(pk=obj.pk).exists()

    has_change_permission = has_view_permission


def _apply_groups(user: User, known: Set[str], own: Set[str]) -> None:
    """Give or take the permission to manage data sets, if OIDC_ROLES names it."""
    is_given = MANAGE_DATA_SETS in own
    if MANAGE_DATA_SETS not in known or user.user_permissions.filter(codename=_CODENAME).exists() == is_given:
        return
    permission = Permission.objects.get(content_type__app_label="datasets", codename=_CODENAME)
    (user.user_permissions.add if is_given else user.user_permissions.remove)(permission)
    single_sign_on.note_change(user, before={_CODENAME: not is_given}, after={_CODENAME: is_given})


GROUP_ACCESS = single_sign_on.GroupAccess(apply=_apply_groups)
