"""Values and placeholders: what is missing. Source: the sending contract §7.1."""

from collections.abc import Mapping
from difflib import get_close_matches

from django.conf import settings

from notifications import errors
from notifications.models import Service
from notifications.rendering import placeholders

LONGEST_NAME_TOLD = 50  # names are the caller's: a refusal repeats them, but not at any length
NAMES_TOLD = 20


def check_complete(subject: str, content: str, personalisation: Mapping[str, object]) -> None:
    """Raises PersonalisationMissing with the names as the template spells them, subject before body."""
    names = placeholders.missing(subject, content, personalisation=personalisation)
    if names:
        raise errors.PersonalisationMissing(names=names, fix=_hint(names, list(personalisation)))


def console_url(service: Service) -> str:
    return f"{settings.BASE_URL}/admin/notifications/service/{service.id}/"


def _hint(missing: list[str], sent: list[str]) -> str:
    """Name what was sent, never its values, and the likely slip of the pen."""
    told = [name[:LONGEST_NAME_TOLD] for name in sent[:NAMES_TOLD]]
    by_lower_case = {name.lower(): name for name in told}
    slips = [
        f" Did you mean `{name}` for `{by_lower_case[close]}`?"
        for name in missing[:NAMES_TOLD]
        for close in get_close_matches(name.lower(), by_lower_case, n=1)
    ]
    return f"Sent: {', '.join(told) or 'nothing'}.{''.join(slips)}"
