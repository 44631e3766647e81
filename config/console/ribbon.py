"""The ribbon of every page: does anything leave this machine? Source: Staff console §1.4."""

from django.conf import settings


def shown() -> dict[str, str]:
    """Return the ribbon's words and its tone; the words say it all, the colour only helps."""
    if set(settings.PROVIDERS) <= {"sandbox"}:
        return {"word": "Test system", "detail": "nothing is really sent", "tone": "warn"}
    return {"word": "Live", "detail": "", "tone": "bad"}
