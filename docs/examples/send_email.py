"""Send an email from a template with the official Python client: `pip install notifications-python-client`.

Set API (where Signalbox runs), NOTIFY_API_KEY and EMAIL_TEMPLATE; `make run` keeps the last two in `.demo.env`.
"""

import os
import sys

from notifications_python_client import prepare_upload
from notifications_python_client.errors import HTTPError
from notifications_python_client.notifications import NotificationsAPIClient

client = NotificationsAPIClient(os.environ["NOTIFY_API_KEY"], base_url=os.environ.get("API", "http://127.0.0.1:8000"))

values = {"name": "Ana", "items": ["a passport", "a photo"]}
if len(sys.argv) > 1:  # a file, for a template with ((link)) in it
    with open(sys.argv[1], "rb") as file:
        values["link"] = prepare_upload(file)

try:
    sent = client.send_email_notification(
        email_address="ana@example.org",
        template_id=os.environ["EMAIL_TEMPLATE"],
        personalisation=values,
        reference="order-1042",  # your own reference, to find the message later; not personal information
    )
except HTTPError as error:
    # The message states what to correct. After 429 and 5xx, repeat the call.
    sys.exit(f"{error.status_code}: {error.message}")

print(client.get_notification_by_id(sent["id"])["status"])
