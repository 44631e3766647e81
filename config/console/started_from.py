"""Protect a form from overwriting another person's save (trap T10).

The page carries a keyed hash of the row's values. If the values have changed since, the save is rejected and the page
shows both versions.
"""

from typing import Any

from django import forms
from django.db import models
from django.forms.models import model_to_dict
from django.utils.crypto import constant_time_compare, salted_hmac

from config import formats
from config.audit.models import AuditEvent
from config.console import audit_sentences

FIELD = "started_from"


class StartedFrom(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """A mixin for the form of an existing row. The template must contain `started_from` in a hidden field."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._read = dict(vars(self.instance))

    @property
    def started_from(self) -> str:
        """Return the hash of the stored values of the fields that this form can change."""
        if not self.is_bound:
            return _hash(self.instance, self._guarded())
        return getattr(self, "_stored_hash", "")

    def clean(self) -> dict[str, Any] | None:
        """Compare while the row is locked, so that the second of two concurrent saves sees the first.

        The instance gets the stored values of the columns that the form has not set, because its save writes all of
        them. They may have changed since it was read, such as the readers of a dashboard or the number of records.
        """
        cleaned = super().clean()  # first, because it may lock the service: everybody locks in this order
        stored = type(self.instance)._default_manager.select_for_update().filter(pk=self.instance.pk).first()
        if stored is None:
            return cleaned
        for name in (column.attname for column in self.instance._meta.concrete_fields):
            if vars(self.instance).get(name) == self._read.get(name):
                setattr(self.instance, name, getattr(stored, name))
        self._stored_hash = _hash(stored, self._guarded())
        opened_hash = self.data.get(FIELD)
        if opened_hash is not None and not constant_time_compare(opened_hash, self._stored_hash):
            self.add_error(None, self._conflict(stored))
        return cleaned

    def _guarded(self) -> list[str]:
        """Return the names of the form's fields that are columns of the row and can be changed."""
        columns = {field.name for field in (*self.instance._meta.concrete_fields, *self.instance._meta.many_to_many)}
        return sorted(name for name, field in self.fields.items() if name in columns and not field.disabled)

    def _conflict(self, stored: models.Model) -> str:
        values = model_to_dict(stored, self._guarded())
        typed = {name: self.cleaned_data.get(name) for name in values}
        differences = [
            f"{self[name].label} “{_shown(value)}”"
            for name, value in values.items()
            if name in self.cleaned_data and _shown(value) != _shown(typed[name])
        ]
        now = f" Saved values: {', '.join(differences)}." if differences else ""
        return f"{_who_saved(stored)} while you edited it.{now} Your values are below. Save again to keep yours."


def _hash(row: models.Model, names: list[str]) -> str:
    values = model_to_dict(row, names)
    return salted_hmac(FIELD, repr([(name, _plain(values.get(name))) for name in names])).hexdigest()


def _plain(value: Any) -> Any:
    """Return related rows as a list of their primary keys."""
    is_of_rows = isinstance(value, list) and all(isinstance(row, models.Model) for row in value)
    return sorted(str(row.pk) for row in value) if is_of_rows else value


def _shown(value: Any) -> str:
    if isinstance(value, models.QuerySet):
        value = list(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(sorted(str(one) for one in value)) or "none"
    return "none" if value in (None, "") else str(value)


def _who_saved(row: models.Model) -> str:
    """Return the words for the last save of the row, with the person from the audit."""
    kind = row._meta.model_name or ""
    event = AuditEvent.objects.filter(object_kind=kind, object_id=str(row.pk)).order_by("-at").first()
    if event is None:
        return "Another person saved this"
    who = audit_sentences.actor_of(event, audit_sentences.names_of([event])) if event.actor_label else "Another person"
    return f"{who} saved this {formats.on(event.at)}"
