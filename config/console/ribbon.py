"""The ribbon of every page: does anything leave this machine? Source: Staff console §1.4."""

from django.conf import settings
from django.http import HttpRequest


def environment(request: HttpRequest) -> list[str]:
    """Return the ribbon's text and colour; the text says it all, the colour only helps."""
    if set(settings.PROVIDERS) <= {"sandbox"}:
        return ["Sandbox · nothing leaves", "warning"]
    return ["Live", "danger"]
