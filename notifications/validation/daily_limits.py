"""The default daily limits of a service."""

from django.conf import settings


def new_daily_limits(*, live: bool) -> dict[str, int]:
    """Return the default daily limits of a trial or a live service, by the name of the column of `Service`."""
    return {
        "daily_limit_email": settings.DAILY_LIMIT_EMAIL if live else settings.DAILY_LIMIT_TRIAL,
        "daily_limit_sms": settings.DAILY_LIMIT_SMS if live else settings.DAILY_LIMIT_TRIAL,
        "daily_limit_international_sms": settings.DAILY_LIMIT_INTERNATIONAL_SMS,
    }
