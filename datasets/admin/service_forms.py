"""The field for the services whose statistics a token or a saved query reads.

Source: docs/reference/statistics.md §7.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.http import HttpRequest

from config.console.theme import CheckboxSelectMultiple
from datasets.admin.access import parts_of, service_choices
from datasets.models import DataSet


class ServicesForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """parts: the ids of the data sets of which the person reads a part; offered: id and name of their services"""

    of_services = forms.MultipleChoiceField(
        label="Services",
        required=False,
        widget=CheckboxSelectMultiple,
        help_text="Of the statistics of Signalbox, only records about these services are read.",
    )

    parts: frozenset[int] = frozenset()
    offered: Sequence[tuple[str, str]] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.offered:
            del self.fields["of_services"]
            return
        field: Any = self.fields["of_services"]
        field.choices = self.offered
        field.initial = [service for service, _ in self.offered]

    def chosen_services(self, sets: Iterable[DataSet]) -> list[str] | None:
        """Return the services of which the person reads these data sets, or None for all records.

        Adds an error and returns no service if the person has to choose one.
        """
        if not any(one.pk in self.parts for one in sets):
            return None
        chosen: list[str] = self.cleaned_data.get("of_services") or []
        if not chosen:
            self.add_error("of_services", "Choose at least one service. You read the statistics of your services only.")
        return sorted(chosen)


def of_request(request: HttpRequest) -> dict[str, Any]:
    """Return the attributes of the form for this request."""
    parts = frozenset(parts_of(request).values_list("pk", flat=True))
    return {"parts": parts, "offered": service_choices(request) if parts else ()}
