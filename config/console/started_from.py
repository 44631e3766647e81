"""A form knows which values it was opened with, so that it cannot quietly overwrite somebody else's save (trap T10).

The page carries a keyed digest of the row's values; a save over other values is refused and shows both.
"""

from typing import Any

from django import forms
from django.db import models
from django.forms.models import model_to_dict
from django.utils.crypto import constant_time_compare, salted_hmac

from config.console import cells
from config.console.models import AuditEvent

FIELD = "started_from"


class StartedFrom(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """Put before a form of a row that exists; its template has to hold `started_from` in a hidden field."""

    @property
    def started_from(self) -> str:
        """Return the digest of what is stored, as far as this form may change it."""
        if not self.is_bound:
            return _digest(self.instance, self._guarded())
        return getattr(self, "_stored_digest", "")

    def clean(self) -> dict[str, Any] | None:
        """Compare under the row's lock: of two saves at once, the second one sees the first one's values."""
        cleaned = super().clean()
        stored = type(self.instance)._default_manager.select_for_update().filter(pk=self.instance.pk).first()
        if stored is None:
            return cleaned
        self._stored_digest = _digest(stored, self._guarded())
        typed_over = self.data.get(FIELD)
        if typed_over is not None and not constant_time_compare(typed_over, self._stored_digest):
            self.add_error(None, self._both(stored))
        return cleaned

    def _guarded(self) -> list[str]:
        """Return the form's fields that the row itself holds, without those that are shown and not changed."""
        held = {field.name for field in (*self.instance._meta.concrete_fields, *self.instance._meta.many_to_many)}
        return sorted(name for name, field in self.fields.items() if name in held and not field.disabled)

    def _both(self, stored: models.Model) -> str:
        values = model_to_dict(stored, self._guarded())
        typed = {name: self.cleaned_data.get(name) for name in values}
        told = [
            f"{self[name].label} “{_shown(value)}”"
            for name, value in values.items()
            if name in self.cleaned_data and _shown(value) != _shown(typed[name])
        ]
        now = f" Stored now: {', '.join(told)}." if told else ""
        return f"{_who(stored)} while you edited it.{now} Below is what you typed; save again to put it in its place."


def _digest(row: models.Model, names: list[str]) -> str:
    values = model_to_dict(row, names)
    return salted_hmac(FIELD, repr([(name, _plain(values.get(name))) for name in names])).hexdigest()


def _plain(value: Any) -> Any:
    """Return related rows as their keys."""
    return sorted(str(row.pk) for row in value) if isinstance(value, list) and _are_rows(value) else value


def _are_rows(value: list[Any]) -> bool:
    return bool(value) and all(isinstance(row, models.Model) for row in value)


def _shown(value: Any) -> str:
    if isinstance(value, models.QuerySet):
        value = list(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(sorted(str(one) for one in value)) or "none"
    return "none" if value in (None, "") else str(value)


def _who(row: models.Model) -> str:
    """Say who changed the row last, as far as the audit knows."""
    kind = row._meta.model_name or ""
    event = AuditEvent.objects.filter(object_kind=kind, object_id=str(row.pk)).order_by("-at").first()
    if event is None:
        return "Somebody saved this"
    return f"{event.actor_label or 'Somebody'} saved this on {cells.spoken(event.at)}"
