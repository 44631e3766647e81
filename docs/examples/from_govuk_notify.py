"""Move from GOV.UK Notify by changing one line: the URL of the client. Keys and template ids are those of Signalbox.

`pip install notifications-python-client`. Set API (where Signalbox runs), NOTIFY_API_KEY and SMS_TEMPLATE. To move the
templates: `manage.py templates import --from https://api.notifications.service.gov.uk --key FILE --service NAME`.
"""

import os

from notifications_python_client.notifications import NotificationsAPIClient

# Before: client = NotificationsAPIClient(os.environ["NOTIFY_API_KEY"])
client = NotificationsAPIClient(os.environ["NOTIFY_API_KEY"], base_url=os.environ["API"])

sent = client.send_sms_notification(
    phone_number="07700 900123", template_id=os.environ["SMS_TEMPLATE"], personalisation={"code": "4711"}
)
print(sent["content"]["body"])
