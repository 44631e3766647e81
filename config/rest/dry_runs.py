"""The parts that dry runs of both APIs share: the query parameter, and the key of the answer.

Each API has its own rule for values: the data set API ignores other parameters, the sending API refuses them.
"""

from urllib.parse import parse_qsl

from rest_framework import serializers

PARAMETER = "dry_run"


def values(query_string: str, *, name: str = PARAMETER) -> list[str]:
    """Return all values of a parameter, in their order.

    >>> values("a=1&dry_run=true&dry_run="), values("dry-run=true")
    (['true', ''], [])
    """
    pairs = parse_qsl(query_string, keep_blank_values=True, errors="replace")
    return [value for given, value in pairs if given == name]


class Always(serializers.BooleanField):
    """A key of a response with a constant value."""

    def __init__(self, value: bool) -> None:
        super().__init__(help_text=f"Always {str(value).lower()}.")
        self._value = value

    def get_attribute(self, instance: object) -> bool:
        return self._value
