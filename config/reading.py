"""Read values in texts that people and other systems send."""

from datetime import datetime
from uuid import UUID

from django.utils.dateparse import parse_datetime


def read_uuid(value: object) -> UUID | None:
    """Return the UUID in a text, with or without hyphens, or None if it contains no UUID."""
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None


def read_moment(text: str) -> datetime | None:
    """Return the time with its zone in a part of a URL, where a plus sign may have become a space, or None."""
    try:
        moment = parse_datetime(text.replace(" ", "+"))
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None
