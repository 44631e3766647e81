"""Forms of the guest list: many new entries at once.

Source: docs/reference/console.md §2.8.
"""

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet

from config.console.theme import Select, Textarea, TextInput
from config.invalid import InvalidValue
from notifications.models import RecipientKind, Service
from notifications.validation import people

MOST_LINES = 1000  # keeps the page of checked lines readable and the request short
_ENDS = re.compile(r"[\r\n,]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class EnteredLine:
    """One entered line and its result. reason: why it is rejected, or "" if it is valid."""

    text: str
    kind: str = ""
    given: str = ""
    normalised: str = ""
    reason: str = ""
    is_in_team: bool = False


class NewGuestsForm(forms.Form):
    """Email addresses and phone numbers, separated by lines or commas."""

    service: "forms.ModelChoiceField[Service]" = forms.ModelChoiceField(
        queryset=None, widget=Select, empty_label="Select a service"
    )
    entries = forms.CharField(
        label="Email addresses and phone numbers",
        widget=Textarea(attrs={"rows": 8, "autocomplete": "off", "spellcheck": "false"}),
        max_length=200_000,
        help_text="Enter one per line, or separate them with commas.",
    )
    note = forms.CharField(
        max_length=255, required=False, widget=TextInput, help_text="Optional. Saved with each entry."
    )

    def __init__(self, *args: Any, services: QuerySet[Service], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["service"]
        field.queryset = services  # type: ignore[attr-defined]  # a ModelChoiceField has one
        if services.count() == 1:
            field.initial = services.get().pk


def checked(service: Service, text: str) -> list[EnteredLine]:
    """Return a result for each line. Duplicates are dropped; recipients already on the list are rejected.

    Lines beyond GUEST_LIST_MAX are rejected, too.
    """
    team = set(service.team.values_list("normalised_email", flat=True))
    team |= set(service.team.exclude(normalised_phone="").values_list("normalised_phone", flat=True))
    listed = service.guest_list.values_list("kind", "normalised")
    known, taken = {normalised for _, normalised in listed}, Counter(kind for kind, _ in listed)
    lines: dict[str, EnteredLine] = {}
    for piece in _ENDS.split(text):
        line = _read(piece.strip())
        if not line.text or (line.normalised or line.text) in lines:
            continue
        if line.normalised in team:
            line = replace(line, reason="already on your team", is_in_team=True)
        elif line.normalised in known:
            line = replace(line, reason=people.ON_GUEST_LIST)
        elif not line.reason:
            taken[line.kind] += 1
            line = replace(line, reason=_full(taken[line.kind]))
        lines[line.normalised or line.text] = line
    return list(lines.values())


def _full(number: int) -> str:
    """Return the reason why a list of one kind cannot have this many entries, or ""."""
    try:
        people.check_guest_list_has_room(number, settings.GUEST_LIST_MAX)
    except InvalidValue as error:
        return str(error)
    return ""


def _read(text: str) -> EnteredLine:
    is_email = "@" in text
    kind = RecipientKind.EMAIL if is_email else RecipientKind.PHONE
    if not text:
        return EnteredLine(text="")
    try:
        guest = people.parse_email_address(text) if is_email else people.parse_phone_number(text)
    except InvalidValue as error:
        return EnteredLine(text=text, kind=kind, reason=str(error))
    return EnteredLine(text=text, kind=kind, given=guest.given, normalised=guest.normalised)
