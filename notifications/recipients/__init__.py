"""Who a message may go to: phone numbers and email addresses, as pure functions without Django."""

from notifications.recipients.comparison import matches, normalise

__all__ = ["matches", "normalise"]
