"""The time that a service may choose for its rows, in days: one rule for the database, the console and `provision`."""

UNSUBSCRIBE_REQUEST_DAYS = range(30, 731)  # after staff have marked a request as done
DEFAULT_UNSUBSCRIBE_REQUEST_DAYS = 365


def check_unsubscribe_request_days(days: int) -> None:
    """Raise ValueError unless a service may have its done unsubscribe requests kept for so many days.

    >>> check_unsubscribe_request_days(730)
    >>> check_unsubscribe_request_days(731)
    Traceback (most recent call last):
        ...
    ValueError: must be from 30 to 730
    """
    if days not in UNSUBSCRIBE_REQUEST_DAYS:
        first, last = UNSUBSCRIBE_REQUEST_DAYS[0], UNSUBSCRIBE_REQUEST_DAYS[-1]
        raise ValueError(f"must be from {first} to {last}")
