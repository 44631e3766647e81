"""The parameters of a read that name fields. Each function raises InvalidQuery.

Source: docs/reference/data-sets.md §11.
"""

from datasets import errors
from datasets.queries import escaping
from datasets.queries.local_time import TIME_PARTS
from datasets.queries.methods import METHODS
from datasets.queries.moving import moving_key
from datasets.queries.query import Collect, Filter, Sort
from datasets.queries.where.conditions import Condition
from datasets.records import moments, names

_SORTABLE_RAW = frozenset({"_id", "_timestamp", "_start_at", "_end_at", "_updated_at"})
_SELECTABLE = _SORTABLE_RAW | names.COMPUTED


def filters(repeated: dict[str, list[str]]) -> tuple[Filter, ...]:
    for parameter in ("filter_by", "filter_by_prefix"):
        if any(escaping.split(text)[1] is None for text in repeated[parameter]):
            raise errors.FilterForm(name=parameter)
    if repeated["filter_by"] and repeated["filter_by_prefix"]:
        raise errors.FiltersOfBothKinds
    equal = [_filter("filter_by", text) for text in repeated["filter_by"]]
    return tuple(equal or [_filter("filter_by_prefix", text) for text in repeated["filter_by_prefix"]])


def _filter(parameter: str, text: str) -> Filter:
    name, value = escaping.split(text)
    assert value is not None  # noqa: S101  `_filters` has checked it
    is_prefix = parameter == "filter_by_prefix"
    if not (names.is_field_name(name) or name == "_id" or (name in names.MOMENTS and not is_prefix)):
        raise errors.FilterField(name=parameter)
    if name not in names.MOMENTS:
        return Filter(name=name, value=value, is_prefix=is_prefix)
    try:
        return Filter(name=name, value=value, is_prefix=False, moment=moments.parse(value))
    except moments.NotAMoment as error:
        raise errors.FilterMoment from error


def group_by(given: list[str]) -> tuple[str, ...]:
    parts = [escaping.split(text) for text in given]
    if not all(rest is None and (names.is_field_name(name) or name in TIME_PARTS) for name, rest in parts):
        raise errors.GroupField
    if len(set(parts)) < len(parts):
        raise errors.GroupTwice
    return tuple(name for name, _ in parts)


def collect(given: list[str], grouped: tuple[str, ...]) -> tuple[Collect, ...]:
    parts = [(name, "set" if method is None else method, method is None) for name, method in map(escaping.split, given)]
    if any(method not in METHODS for _, method, _ in parts):
        raise errors.CollectMethod
    if not all(names.is_field_name(name) for name, _, _ in parts):
        raise errors.CollectField
    if any(name in grouped for name, _, _ in parts):
        raise errors.CollectGrouped
    return tuple(
        Collect(name=name, method=method, keys=(f"{name}:{method}", *([name] if is_bare else [])))
        for name, method, is_bare in parts
    )


def check_keys(grouped: tuple[str, ...], collected: tuple[Collect, ...], *, has_values: bool, is_moving: bool) -> None:
    """Raise InvalidQuery if two values would have one key, such as the field `a:sum` and the sum of `a`."""
    meanings: dict[str, object] = dict.fromkeys(grouped)
    for one in collected:
        for key in one.keys:
            if meanings.setdefault(key, (one.name, one.method)) != (one.name, one.method):
                raise errors.SameName(name=key)
    if has_values and "values" in meanings:
        raise errors.FieldNamedValues
    if is_moving:
        for key in map(moving_key, [key for one in collected for key in one.keys]):
            if key in meanings:
                raise errors.SameName(name=key)


def sort(
    single: dict[str, str], grouped: tuple[str, ...], period: str | None, collected: tuple[Collect, ...]
) -> Sort | None:
    if "sort_by" not in single:
        return None
    key, colon, direction = single["sort_by"].rpartition(":")
    if not colon or direction not in {"ascending", "descending"}:
        raise errors.SortForm
    if period is not None and not grouped:
        raise errors.SortPeriod
    if collected and not grouped:
        raise errors.SortTotals
    name, method = escaping.split(key)
    if grouped:
        bare = {*grouped, "_count", *(["_group_count"] if period is not None else [])}
        bare |= {one.name for one in collected if one.name in one.keys}
        is_known = name in bare if method is None else (name, method) in {(one.name, one.method) for one in collected}
    else:
        is_known = method is None and (name in _SORTABLE_RAW or names.is_field_name(name))
    if not is_known:
        raise errors.SortField
    return Sort(key=name if method is None else f"{name}:{method}", descending=direction == "descending")


def where(text: str) -> Condition:
    from datasets.queries.where.parsing import parse_where  # lark: most processes never parse a condition

    return parse_where(text)


def having(text: str, grouped: tuple[str, ...], period: str | None, collected: tuple[Collect, ...]) -> Condition:
    if not grouped:
        raise errors.HavingAlone
    from datasets.queries.where.parsing import parse_having

    keys = {*grouped, "_count", *(key for one in collected for key in one.keys)}
    return parse_having(text, keys | {"_group_count"} if period is not None else keys)


def select(given: list[str], *, is_raw: bool) -> tuple[str, ...]:
    if given and not is_raw:
        raise errors.SelectGrouped
    parts = [escaping.split(text) for text in given]
    if not all(rest is None and (names.is_field_name(name) or name in _SELECTABLE) for name, rest in parts):
        raise errors.SelectField
    if len(set(parts)) < len(parts):
        raise errors.SelectTwice
    return tuple(name for name, _ in parts)
