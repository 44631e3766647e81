"""Form fields for data sets: field names of an `_id`, and a length of time."""

import re
from typing import Any

from django import forms

from config.console.checking import checked
from config.console.theme import NumberInput, Select, Textarea
from datasets.validation import check_auto_ids, check_expected_every, check_units

_UNITS = (("86400", "days"), ("3600", "hours"), ("60", "minutes"), ("1", "seconds"))


class AutoIdsField(forms.CharField):
    """Field names, one on each line. An empty field is null. Spaces around a name are part of it."""

    widget = Textarea(attrs={"rows": 3})

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> Any:
        # `splitlines` would also split at U+2028, which a name may contain.
        lines = re.split(r"\r\n|\r|\n", super().to_python(value) or "")
        return [line for line in lines if line.strip()] or None

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def validate(self, value: Any) -> None:
        if value:
            checked(check_auto_ids, value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool((initial or None) != self.to_python(data))


class UnitsField(forms.CharField):
    """Units by field name, one on each line, such as `cost: GBP`. An empty field is null."""

    widget = Textarea(attrs={"rows": 3})

    def to_python(self, value: Any) -> Any:
        found: dict[str, str] = {}
        for line in re.split(r"\r\n|\r|\n", super().to_python(value) or ""):
            name, colon, unit = line.rpartition(":")
            if line.strip() and not colon:
                raise forms.ValidationError("Write a field name, a colon and its unit on each line.")
            if line.strip():
                found[name.strip()] = unit.strip()
        return found or None

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(f"{name}: {unit}" for name, unit in value.items()) if isinstance(value, dict) else value

    def validate(self, value: Any) -> None:
        if value:
            checked(check_units, value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool((initial or None) != self.to_python(data))
        except forms.ValidationError:
            return True


class _SpanWidget(forms.MultiWidget):
    """A number and a unit. It shows the largest unit that divides the value."""

    def __init__(self, attrs: Any = None) -> None:
        unit = Select(attrs={"aria-label": "Unit"}, choices=_UNITS)
        super().__init__([NumberInput(attrs={"min": 1, "data-span": "amount", "aria-label": "Number"}), unit], attrs)

    def decompress(self, value: Any) -> list[Any]:
        if not value:
            return [None, _UNITS[0][0]]
        unit = next(seconds for seconds, _ in _UNITS if value % int(seconds) == 0)
        return [value // int(unit), unit]

    def id_for_label(self, id_: str) -> str:
        return f"{id_}_0" if id_ else id_


class SpanField(forms.MultiValueField):
    """A length of time from 1 second to 365 days, in seconds. An empty field is None."""

    widget = _SpanWidget

    def __init__(self, **options: Any) -> None:
        fields = (  # both optional, because a browser sends the unit even without a number
            forms.IntegerField(required=False),
            forms.ChoiceField(required=False, choices=_UNITS),
        )
        super().__init__(fields, require_all_fields=False, **options)

    def compress(self, data_list: list[Any]) -> int | None:
        if not data_list or data_list[0] is None:
            return None
        seconds: int = data_list[0] * int(data_list[1] or _UNITS[0][0])
        checked(check_expected_every, seconds)
        return seconds
