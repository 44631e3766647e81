"""Compare expected values: objects by their named keys, lists in full, strings exactly or by pattern.

Source: docs/reference/sending-api.md §1.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

NOTHING = object()
TIME_SLACK = timedelta(seconds=20)
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"
_KEY = r"\?key=[A-Za-z0-9_-]{43}"
_INSIDE = {
    "uuid": _UUID,
    "time": _TIME,
    "url": r"https?://\S+",
    "text": r"(?s:.+)",
    "domain": r"[a-z0-9-]+(?:\.[a-z0-9-]+)+",
    "link": rf"https?://\S+{_KEY}",
    "link_without_key": r"https?://[^\s?]+",
}
_PATTERN = re.compile(r"\{([a-z_]+)(?:[:.]([^{}]*))?\}")


def at_path(value: Any, path: str, default: Any = None) -> Any:
    """Return the value at a dotted path; "" is the whole value."""
    for part in path.split(".") if path else []:
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, TypeError):
            if default is None:
                raise
            return default
    return value


def check_subset(found: Any, expected: Any, whole: Any, saved: Mapping[str, Any] | None = None, path: str = "") -> None:
    """Raise AssertionError with the path of the first difference."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), f"{path}: {found!r} is not an object"
        for name, inner in expected.items():
            assert name in found, f"{path}.{name} is not there"
            check_subset(found[name], inner, whole, saved, f"{path}.{name}")
    elif isinstance(expected, list):
        assert isinstance(found, list), f"{path}: {found!r} is not a list"
        assert len(found) == len(expected), f"{path}: {len(found)} items instead of {len(expected)}: {found}"
        for index, inner in enumerate(expected):
            check_subset(found[index], inner, whole, saved, f"{path}.{index}")
    else:
        assert matches(found, expected, whole, saved), f"{path}: {found!r} instead of {expected!r}"


def matches(found: Any, expected: Any, whole: Any, saved: Mapping[str, Any] | None = None) -> bool:
    if not isinstance(expected, str):
        return type(found) is type(expected) and bool(found == expected)
    token = _PATTERN.fullmatch(expected)
    if token and token[1] in _WHOLE:
        return _WHOLE[token[1]](found, token[2] or "", whole, saved or {})
    return isinstance(found, str) and re.fullmatch(_as_regex(expected), found) is not None


def _as_regex(expected: str) -> str:
    parts, end = [], 0
    for match in _PATTERN.finditer(expected):
        if match[1] not in _INSIDE:
            continue
        parts += [re.escape(expected[end : match.start()]), _INSIDE[match[1]], re.escape(match[2] or "")]
        end = match.end()
    return "".join([*parts, re.escape(expected[end:])])


def _is_time(found: Any, offset: str, whole: Any, saved: Mapping[str, Any]) -> bool:
    if not isinstance(found, str) or not re.fullmatch(_TIME, found):
        return False
    moment = datetime.fromisoformat(found)
    return not offset or abs(moment - datetime.now(UTC) - timedelta(seconds=int(offset))) < TIME_SLACK


def _is_int(found: Any, bounds: str, whole: Any, saved: Mapping[str, Any]) -> bool:
    """Headers are text, so digits are also a whole number."""
    if isinstance(found, bool) or not re.fullmatch(r"-?\d+", str(found)):
        return False
    low, _, high = bounds.partition("-")
    return not bounds or int(low) <= int(found) <= int(high)


_WHOLE: Mapping[str, Callable[[Any, str, Any, Mapping[str, Any]], bool]] = {
    "present": lambda found, rest, whole, saved: True,
    "time": _is_time,
    "int": _is_int,
    "number": lambda found, rest, whole, saved: isinstance(found, int | float) and not isinstance(found, bool),
    "one_of": lambda found, rest, whole, saved: found in rest.split("|"),
    "contains": lambda found, rest, whole, saved: rest in (found or ""),
    "contains_all": lambda found, rest, whole, saved: all(part in (found or "") for part in rest.split("|")),
    "not_saved": lambda found, rest, whole, saved: rest in saved and found != saved[rest],
    "self": lambda found, rest, whole, saved: found == at_path(whole, rest),
}
