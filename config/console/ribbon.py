"""The ribbon of every page: does anything leave this machine? Source: Staff console §1.4."""

from django.conf import settings


def shown() -> dict[str, str]:
    """Return the ribbon's words and its tone; the words say it all, the colour only helps."""
    if set(settings.PROVIDERS) <= {"sandbox"}:
        return {"word": "SANDBOX", "detail": "nothing leaves", "tone": "warn"}
    return {"word": "LIVE", "detail": "", "tone": "bad"}
