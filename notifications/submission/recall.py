"""What this process read a moment ago and need not read again: services, keys, templates, senders.

Everything here is at most two seconds old, so what another process changed, a revoked key too, holds after that.
Source: the sending contract §2.2.
"""

import time
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

SECONDS = 2.0
SIZE = 1000  # entries of one reader; a template may be megabytes long

P = ParamSpec("P")
T = TypeVar("T")

_readers: list["Recalled[..., Any]"] = []  # Any: whatever each reads


class Recalled(Generic[P, T]):
    """A reader that answers repeats from memory. What was not there is asked for again each time."""

    def __init__(self, read: Callable[P, T | None]) -> None:
        self._read = read
        self._kept: dict[object, tuple[float, T]] = {}
        _readers.append(self)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T | None:
        asked_at = time.monotonic()  # before reading: the age counts from here
        asked_for = (args, tuple(kwargs.items()))
        kept = self._kept.get(asked_for)
        if kept and asked_at - kept[0] < SECONDS:
            return kept[1]
        value = self._read(*args, **kwargs)
        if value is not None:
            self._make_room(asked_at)
            self._kept[asked_for] = (asked_at, value)
        return value

    def _make_room(self, now: float) -> None:
        if len(self._kept) < SIZE:
            return
        fresh = {key: kept for key, kept in list(self._kept.items()) if now - kept[0] < SECONDS}
        self._kept = fresh if len(fresh) < SIZE else {}

    def forget(self) -> None:
        self._kept.clear()


def recalled(read: Callable[P, T | None]) -> Recalled[P, T]:
    """Decorate a function of hashable arguments."""
    return Recalled(read)


def forget() -> None:
    """Read everything afresh from now on, in this process."""
    for reader in _readers:
        reader.forget()
