"""Fields of data set forms that one plain input does not hold."""

import re
from typing import Any

from django import forms

from config.console.theme import NumberInput, Select, Textarea
from datasets.records import names

_UNITS = (("86400", "days"), ("3600", "hours"), ("60", "minutes"), ("1", "seconds"))
_LONGEST_SECONDS = 31_536_000  # Data Set contract §17
_MAX_AUTO_IDS = 20  # Data Set contract §17


class AutoIdsField(forms.CharField):
    """Field names, one a line; none at all is null. Spaces around a name are part of it."""

    widget = Textarea(attrs={"rows": 3})

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> Any:
        # A name may hold U+2028, at which `splitlines` would cut it.
        lines = re.split(r"\r\n|\r|\n", super().to_python(value) or "")
        return [line for line in lines if line.strip()] or None

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def validate(self, value: Any) -> None:
        for name in value or []:
            if not (name in names.MOMENTS or names.is_field_name(name)):
                raise forms.ValidationError(f"{name} is not a field name.")
            if value.count(name) > 1:
                raise forms.ValidationError(f"{name} is given twice.")
        if len(value or []) > _MAX_AUTO_IDS:
            raise forms.ValidationError(f"At most {_MAX_AUTO_IDS} fields.")

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool((initial or None) != self.to_python(data))


class _SpanWidget(forms.MultiWidget):
    """A number and its unit: the largest unit that leaves no rest."""

    def __init__(self, attrs: Any = None) -> None:
        unit = Select(attrs={"aria-label": "Unit"}, choices=_UNITS)
        super().__init__([NumberInput(attrs={"min": 1, "data-span": "amount"}), unit], attrs)

    def decompress(self, value: Any) -> list[Any]:
        if not value:
            return [None, _UNITS[0][0]]
        unit = next(seconds for seconds, _ in _UNITS if value % int(seconds) == 0)
        return [value // int(unit), unit]

    def id_for_label(self, id_: str) -> str:
        return f"{id_}_0" if id_ else id_


class SpanField(forms.MultiValueField):
    """A length of time of 1 second to 365 days, in seconds; left empty it is None."""

    widget = _SpanWidget

    def __init__(self, **options: Any) -> None:
        fields = (  # each may be empty: a browser always sends a unit, also beside an empty number
            forms.IntegerField(required=False, min_value=1, max_value=_LONGEST_SECONDS),
            forms.ChoiceField(required=False, choices=_UNITS),
        )
        super().__init__(fields, require_all_fields=False, **options)

    def compress(self, data_list: list[Any]) -> int | None:
        if not data_list or data_list[0] is None:
            return None
        seconds: int = data_list[0] * int(data_list[1] or _UNITS[0][0])
        if seconds > _LONGEST_SECONDS:
            raise forms.ValidationError("Choose at most 365 days.")
        return seconds
