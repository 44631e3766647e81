"""The messages a day that a service may send before anybody sets other limits."""

from django.conf import settings


def new_daily_limits(*, live: bool) -> dict[str, int]:
    """Return the limits a service starts with: in trial, and when it goes live. Columns of `Service` → number."""
    return {
        "daily_limit_email": settings.DAILY_LIMIT_EMAIL if live else settings.DAILY_LIMIT_TRIAL,
        "daily_limit_sms": settings.DAILY_LIMIT_SMS if live else settings.DAILY_LIMIT_TRIAL,
        "daily_limit_international_sms": settings.DAILY_LIMIT_INTERNATIONAL_SMS,
    }
