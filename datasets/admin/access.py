"""Permissions on data sets: managers may use all of them, owners their own.

Source: docs/reference/console.md §1.3.
"""

from collections.abc import Collection, Set
from typing import Any

from django.contrib.auth.models import Permission, User
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from config.accounts import scope, single_sign_on
from config.console.admin.permissions import OpenTo
from config.data_sets import DataSets, managed_services
from datasets.models import Alarm, DataSet
from datasets.validation import is_path_part

MANAGE_DATA_SETS = "manage data sets"  # the grant of OIDC_ROLES
_CODENAME = "manage_data_sets"


def manages_all(request: HttpRequest) -> bool:
    return request.user.has_perm(f"datasets.{_CODENAME}")


def data_sets_of(request: HttpRequest) -> QuerySet[DataSet]:
    """Return the data sets that the person may see and change."""
    if manages_all(request):
        return DataSet.objects.all()
    return DataSet.objects.filter(owners=request.user.pk)


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
    managed = managed_services(request.user) if isinstance(request.user, User) else set()
    return found.filter(
        Q(data_set__in=data_sets_of(request)) | Q(pk__in=Alarm.objects.on_services(managed).values("pk"))
    )


def author(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def _audited(request: HttpRequest) -> Q:
    if manages_all(request):
        return Q(data_set_id__isnull=False)
    return Q(data_set_id__in=list(data_sets_of(request).values_list("pk", flat=True)))


def _choices(request: HttpRequest) -> list[tuple[str, str]]:
    return [(str(one.pk), str(one)) for one in data_sets_of(request).select_related("group", "type")]


def is_open_to(request: HttpRequest) -> bool:
    return manages_all(request) or data_sets_of(request).exists()


ACCESS = scope.Access(is_open_to=is_open_to, audited=_audited, title="Data set", column="data_set_id", choices=_choices)


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
    """Allow managers, and owners for their own data sets. `get_queryset` of the admin excludes the others."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is None:
            return is_open_to(request)
        data_set = obj if isinstance(obj, DataSet) else obj.data_set
        return data_sets_of(request).filter(pk=data_set.pk).exists()

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
