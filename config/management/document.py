"""Read the document of a command, one object at a time: hand out its values by kind, and note what is wrong or left.

Each Entry keeps a copy that the areas complete with ids and secrets; copies of inner objects hang in their parents',
so the outermost one is the completed document.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self
from uuid import UUID

from config.management.parts import Faults, Refused
from config.rest import strict_json


def load(file: str) -> dict[str, object]:
    """Read a document: a JSON object in a file, or on standard input where the name is `-`. Raises Refused."""
    try:
        text = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}") from error
    try:
        document = strict_json.loads(text, skip_mark=True, storable=True)
    except strict_json.JSONRefused as error:
        raise Refused(f"The document is not JSON: {error} {error.place}".rstrip()) from error
    if not isinstance(document, dict):
        raise Refused("The document must be a JSON object.")
    return document


class Entry:
    """One object and its path, such as `services[0].templates[1]`.

    A value left out is read as None; a wrong one too, with a fault.
    """

    def __init__(self, value: object, path: str, faults: Faults) -> None:
        self.path = path
        self.faults = faults
        self._unread: dict[str, Any] = {}
        if isinstance(value, dict):
            self._unread = dict(value)
        else:
            faults.add(path, "must be an object")
        self.completed: dict[str, Any] = dict(self._unread)

    @classmethod
    def all(cls, value: object, path: str, faults: Faults) -> list[Self]:
        """Read a list of objects."""
        if not isinstance(value, list):
            faults.add(path, "must be a list")
            return []
        return [cls(item, f"{path}[{index}]", faults) for index, item in enumerate(value)]

    def refuse(self, key: str, message: str) -> None:
        self.faults.add(f"{self.path}.{key}", message)

    def check(
        self, key: str, rule: Callable[..., None], *values: object, unless: Callable[[], bool] = lambda: False
    ) -> None:
        """Note what a rule says against a value. The rule raises ValueError with what is wrong and what to do.

        unless: asked only for what the rule refuses; where it returns true, there is no fault
        """
        try:
            rule(*values)
        except ValueError as error:
            if not unless():
                self.refuse(key, str(error))

    def has(self, key: str) -> bool:
        return key in self.completed

    def text(self, key: str, *, most: int | None = None, least: int = 0) -> str | None:
        """Return a string of `least` to `most` characters that a database can hold."""
        value = self._take(key, str, "a string")
        if not isinstance(value, str):
            return None
        if len(value) < least or (most is not None and len(value) > most):
            self.refuse(key, f"must be {least} to {most} characters long")
            return None
        if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
            self.refuse(key, "must not hold NUL or lone surrogates")
            return None
        return value

    def choice(self, key: str, allowed: list[str]) -> str | None:
        value = self._take(key, object, "")
        if value is None and key not in self.completed:
            return None
        if not isinstance(value, str) or value not in allowed:
            self.refuse(key, f"must be one of {', '.join(allowed)}")
            return None
        return value

    def flag(self, key: str) -> bool | None:
        value = self._take(key, bool, "true or false")
        return value if isinstance(value, bool) else None

    def number(self, key: str, *, least: int, most: int) -> int | None:
        value = self._take(key, int, "a whole number")
        if not isinstance(value, int):
            return None
        if not least <= value <= most:
            self.refuse(key, f"must be from {least} to {most}")
            return None
        return value

    def identifier(self, key: str) -> UUID | None:
        """Return a UUID, which the document spells with hyphens."""
        value = self._take(key, object, "")
        if value is None and key not in self.completed:
            return None
        try:
            if not isinstance(value, str) or len(value) != len(str(UUID(int=0))):
                raise ValueError(key)
            return UUID(value)
        except ValueError:
            self.refuse(key, "must be a UUID such as 00000000-0000-4000-8000-000000000000")
            return None

    def texts(self, key: str) -> list[str] | None:
        """Return a list of strings."""
        values = self._take(key, list, "a list of strings")
        if not isinstance(values, list):
            return None
        for index, value in enumerate(values):
            if not isinstance(value, str):
                self.refuse(f"{key}[{index}]", "must be a string")
        return [value for value in values if isinstance(value, str)]

    def entry(self, key: str) -> Self | None:
        """Return an inner object."""
        if key not in self._unread:
            return None
        inner = type(self)(self._unread.pop(key), f"{self.path}.{key}", self.faults)
        self.completed[key] = inner.completed
        return inner

    def entries(self, key: str) -> list[Self] | None:
        """Return a list of inner objects."""
        if key not in self._unread:
            return None
        inner = self.all(self._unread.pop(key), f"{self.path}.{key}", self.faults)
        self.completed[key] = [one.completed for one in inner]
        return inner

    def require(self, *keys: str) -> None:
        """Note which of these are missing; to be called once nothing else can supply them."""
        for key in keys:
            if key not in self.completed:
                self.refuse(key, "is required")

    def close(self) -> None:
        """Note every key that nobody read."""
        for key in self._unread:
            self.refuse(key, "is not a known key")

    def _take(self, key: str, kind: type, words: str) -> object:
        if key not in self._unread:
            return None
        value = self._unread.pop(key)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.refuse(key, f"must be {words}")
            return None
        return value
