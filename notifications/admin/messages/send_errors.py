"""The console's texts for API errors of a message sent by hand. Source: docs/reference/console.md §2.11.

Errors without a text here show the API's message.
"""

from collections.abc import Mapping

from django.utils.html import format_html, format_html_join

from config import formats
from notifications import errors
from notifications.models import Channel
from notifications.submission import requests

EMPTY = {Channel.EMAIL: "Enter an email address.", Channel.SMS: "Enter a phone number."}
REFERENCE = f"Enter a reference of at most {formats.number(requests.MAX_REFERENCE_CHARACTERS)} characters."
ITEMS = f"Enter at most {formats.number(requests.MAX_LIST_ITEMS)} lines."
_EMAIL_ADDRESS = "Enter a valid email address, like name@example.com."
_PROPERTY = {Channel.EMAIL: "email_address ", Channel.SMS: "phone_number "}


def of_recipient(error: errors.NotificationError, channel: Channel) -> str:
    """Return the error of an invalid recipient without the API's property name."""
    if channel is Channel.EMAIL:
        return _EMAIL_ADDRESS
    return f"{error.message.removeprefix(_PROPERTY[channel])}."


def of_trial(places: Mapping[str, str]) -> str:
    """Return how to let a service in trial reach a recipient.

    places: title → URL of the pages that this person may open
    """
    if not places:
        return "This service is in trial. Ask a manager to add this person to the guest list or team first."
    links = format_html_join(" or ", '<a class="sb-link" href="{1}">{0}</a>', places.items())
    return format_html("This service is in trial: add this person to the {} first.", links)
