"""Rotate an API key: a twin with the same rights replaces it, and both work until the old one expires.

Source: docs/reference/console.md §2.3.
"""

import re
import uuid
from datetime import datetime, timedelta

from django import forms
from django.db import transaction
from django.utils import timezone

from config.console.theme import RadioSelect
from notifications.models import ApiKey

_DAYS = (("1", "In one day"), ("7", "In 7 days"), ("30", "In 30 days"))
_NUMBERED = re.compile(r"(.*)-(\d{1,4})")
_LONGEST = ApiKey._meta.get_field("name").max_length or 60


class KeyRotationForm(forms.Form):
    days = forms.ChoiceField(label="The old key expires", choices=_DAYS, initial="7", widget=RadioSelect)

    def ends_at(self) -> datetime:
        return timezone.now() + timedelta(days=int(self.cleaned_data["days"]))


@transaction.atomic
def rotate(key: ApiKey, *, ends_at: datetime, author: str) -> ApiKey:
    """Create and return the twin of a key. The key expires at `ends_at`, or earlier if it already would."""
    twin = ApiKey(
        service=key.service,
        name=_name(key),
        key_type=key.key_type,
        manages_templates=key.manages_templates,
        allowed_networks=key.allowed_networks,
        allowed_templates=key.allowed_templates,
        daily_limit=key.daily_limit,
        note=key.note,
        created_by=author,
    )
    twin.set_secret(str(uuid.uuid4()))
    twin.save()
    key.expires_at = min(key.expires_at or ends_at, ends_at)
    key.save(update_fields=["expires_at"])
    return twin


def _name(key: ApiKey) -> str:
    """Return the name with the next free number at its end."""
    match = _NUMBERED.fullmatch(key.name)
    stem, number = (match[1], int(match[2])) if match else (key.name, 1)
    used = set(key.service.api_keys.filter(revoked_at=None).values_list("name", flat=True))
    while True:
        number += 1
        ending = f"-{number}"
        name = f"{stem[: _LONGEST - len(ending)]}{ending}"
        if name not in used:
            return name
