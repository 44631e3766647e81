"""A program that sends messages. The variables name the service and the key, in tests and in production."""

import os

from signalbox import Signalbox


def confirm(email_address: str, name: str, *, callback_url: str = "") -> str:
    """Send the confirmation of an order, and return the id of the email."""
    callback = {"url": callback_url, "bearer_token": os.environ["CALLBACK_TOKEN"]} if callback_url else None
    with Signalbox(os.environ["SIGNALBOX_API"], os.environ["SIGNALBOX_KEY"]) as client:
        values = {"name": name, "items": ["the order"]}
        template = os.environ["CONFIRMATION_TEMPLATE"]
        return str(client.send_email_notification(email_address, template, values, callback=callback)["id"])


if __name__ == "__main__":
    print(confirm("ana@example.org", "Ana"))
