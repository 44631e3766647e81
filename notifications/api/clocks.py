"""State how far the clock of a caller is from the server's. Source: docs/reference/sending-api.md §3."""

from datetime import UTC, datetime


def fix(issued_at: int | None, now: int) -> str:
    """Return what the caller can do if its token was not issued now. issued_at: seconds since 1970, or None"""
    try:
        issued = datetime.fromtimestamp(issued_at, UTC) if issued_at is not None else None
    except (ValueError, OverflowError, OSError):
        issued = None
    if issued is None or issued_at is None:
        return "Give `iat` in whole seconds since 1970 UTC."
    current = datetime.fromtimestamp(now, UTC)
    form = "%H:%M:%S" if issued.date() == current.date() else "%Y-%m-%d %H:%M:%S"
    return (
        f"The token was issued at {issued:{form}} UTC, but the server's clock shows {current:{form}} UTC. "
        f"They are {abs(now - issued_at)} s apart. Turn on time synchronisation on your computer."
    )
