"""What other areas may know of data sets: their paths, and whether one is late. Areas do not import each other."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

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
