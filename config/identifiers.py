"""Read ids that people and other systems send."""

from uuid import UUID


def read_uuid(value: object) -> UUID | None:
    """Return the UUID in a text, with or without hyphens, or None if it contains no UUID."""
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None
