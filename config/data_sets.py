"""What other areas may know of data sets: their paths, lateness and alarms. Areas do not import each other."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User
from django.dispatch import Signal
from django.http import HttpRequest

from config import areas

freshness_changed = Signal()  # sent with `change`, a FreshnessChange, in the transaction that records it


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshnessChange:
    """A data set that became late, or is no longer late.

    name, path: such as `pay_volumes` and `pay/volumes`; state: in words, such as `fresh`
    last_write_at: of the last write that stored records; at: when the change was found
    """

    data_set_id: int
    name: str
    path: str
    is_late: bool
    state: str
    last_write_at: datetime | None
    expected_every_seconds: int | None
    at: datetime


data_set_changed = Signal()  # sent with `change`, a DataSetChange, in the transaction that records it


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSetChange:
    """An event of a data set besides its freshness, as callbacks report it.

    event: `alarm.raised`, `alarm.ended`, `data_set.emptied` or `data_set.written`
    name, path: as in FreshnessChange; details: JSON values by name
    """

    event: str
    data_set_id: int
    name: str
    path: str
    at: datetime
    details: Mapping[str, str | float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteListener:
    """An area that reports writes. data_sets: return the ids of the data sets whose writes it reports"""

    data_sets: Callable[[], Collection[int]]


def with_listeners() -> set[int]:
    """Return the ids of the data sets whose writes an area reports."""
    return {pk for part in areas.parts(WriteListener) for pk in part.data_sets()}


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureAlarm:
    """The alarm on the failed messages of a service. url: "" if the person may not open it"""

    percent: float
    people: int
    is_raised: bool
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureAlarms:
    """The area that can watch the failed messages of services, by the statistics in `signalbox/messages`.

    percent: the share of failed messages above which the alarm is raised
    find: return the alarm of a service, or None
    notify: make the alarm of a service, by its id and name, or add an email address to it. Raises InvalidValue
    """

    percent: int
    find: Callable[[HttpRequest, UUID], FailureAlarm | None]
    notify: Callable[[HttpRequest, UUID, str, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedServices:
    """The area that has services.

    of_account: return the ids of the services that an active account may change
    names: return the names of these services, by id
    """

    of_account: Callable[[User], Collection[UUID]]
    names: Callable[[Collection[UUID]], dict[UUID, str]]


def managed_services(user: User) -> set[UUID]:
    """Return the ids of the services that the account may change now, as a team member."""
    if not user.is_active:
        return set()
    return {pk for part in areas.parts(ManagedServices) for pk in part.of_account(user)}


def service_names(ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the name of each of these services that exist, by id."""
    return {pk: name for part in areas.parts(ManagedServices) for pk, name in part.names(ids).items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSets:
    """The data sets of an area.

    of_person: return the path of each data set that the person may use, by id
    paths: return the path of each of these data sets that exist, by id
    ids: return the id of each of these paths that exist, by path
    """

    of_person: Callable[[HttpRequest], dict[int, str]]
    paths: Callable[[Collection[int]], dict[int, str]]
    ids: Callable[[Collection[str]], dict[str, int]]


def of_person(request: HttpRequest) -> dict[int, str]:
    return {pk: path for part in areas.parts(DataSets) for pk, path in part.of_person(request).items()}


def paths(ids: Collection[int]) -> dict[int, str]:
    return {pk: path for part in areas.parts(DataSets) for pk, path in part.paths(ids).items()}


def ids(named: Collection[str]) -> dict[str, int]:
    return {path: pk for part in areas.parts(DataSets) for path, pk in part.ids(named).items()}
