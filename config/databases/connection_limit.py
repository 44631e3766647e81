"""The largest number of connections that the pool of this process opens to PostgreSQL."""

from django.db import connections


def allow(number: int) -> None:
    """Allow at least this number. Call it before the process opens the first."""
    for alias in connections:
        pool = connections.settings[alias]["OPTIONS"].get("pool")
        if pool:
            pool["max_size"] = max(pool["max_size"], number)
