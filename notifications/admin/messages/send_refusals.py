"""Refusals of a message sent by hand, in the words of the console. Source: Staff console §2.11.

A refusal that is not named here keeps the words of the API.
"""

from collections.abc import Mapping

from django.utils.html import format_html, format_html_join

from config.console import cells
from notifications import errors
from notifications.models import Channel
from notifications.submission import properties

EMPTY = {Channel.EMAIL: "Enter an email address.", Channel.SMS: "Enter a phone number."}
REFERENCE = f"Enter a reference of at most {cells.number(properties.MAX_REFERENCE_CHARACTERS)} characters."
_EMAIL_ADDRESS = "Enter a valid email address, like name@example.com."
_PROPERTY = {Channel.EMAIL: "email_address ", Channel.SMS: "phone_number "}


def of_recipient(refusal: errors.NotificationError, channel: Channel) -> str:
    """Return what is wrong with a recipient's writing, without the API's name of the property."""
    if channel is Channel.EMAIL:
        return _EMAIL_ADDRESS
    return f"{refusal.message.removeprefix(_PROPERTY[channel])}."


def of_trial(places: Mapping[str, str]) -> str:
    """Return what lets a service in trial reach a person.

    places: title → URL of the pages this person may open
    """
    if not places:
        return "This service is in trial. Ask a manager to add this person to the guest list or team first."
    links = format_html_join(" or ", '<a class="sb-link" href="{1}">{0}</a>', places.items())
    return format_html("This service is in trial: add this person to the {} first.", links)
