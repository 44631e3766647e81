"""The demo services as a provision document. The ids are fixed, so that documentation and examples stay valid."""

from typing import Any

PARKS = "0d0ddf52-9be6-4f99-9851-53076be23407"
LIBRARY = "9b3c6c90-723c-4913-85bb-6c19a51be31a"
EMAIL_TEMPLATE = "99309e09-88b3-402f-8eec-450fe9dc451a"
SMS_TEMPLATE = "591f3b31-997b-422a-a1f8-6353f93dbfcb"
NEWSLETTER = "6949ad94-db9b-4af9-8b9f-546fea9f9650"
PERMIT = "580ddffe-5a61-40fa-9b5a-4a8cf9730409"
RENEWAL = "aae875ed-e42f-4ea7-9cb8-cb81b25fe54a"
ACCENTED = "2e07dd39-885f-4a09-a869-10187727be4a"

TEST_KEY = "demo_test"
LIVE_KEY = "demo_live"

_BOOKING = """\
Dear ((name))

Your visit to the walled garden is booked. Please bring:

((items))

# If you cannot come

Tell us a day before, so that somebody else can have the place.

Parks and Gardens
"""

NEWSLETTER_CONTENT = """\
# What is on in the parks this ((month))

^ The lake path is closed between the boathouse and the mill until the end of the month.

## Walks

* Saturday: fungi with the ranger, two hours, meet at the north gate
* Sunday: the old railway line to Alder Bridge, four miles and mostly flat
* Wednesday: a slow walk for people who would like company

## In the glasshouse

1. The orchids are in flower until the frost.
2. Seed swap on the second Saturday: bring what you have labelled.
3. Potting bench for children, every afternoon in the holidays.

## Volunteering

Twelve people planted four hundred trees with us last winter. This winter we have room for twenty, and tools for all of
them. No experience is needed and there is soup. Read [how a planting day goes](https://parks.example.org/planting).

---

We look after eleven parks, two cemeteries and a lake. Write to us about any of them by answering this email.
"""

_PERMIT = """\
Dear ((name))

Your parking permit is ready. Download it, print it and leave it where it can be seen:

((link))
"""

_RENEWAL = """\
Dear ((name))

You have ((count)) books to give back or renew by ((date)).

((overdue??Some of them are late already. There is nothing to pay if they are back this week.))

Renew them at https://library.example.org/renew
"""

DOCUMENT: list[dict[str, Any]] = [
    {
        "id": PARKS,
        "name": "Parks and Gardens",
        "live": True,
        "permissions": ["sms", "email", "international_sms"],
        "file_contact": "https://parks.example.org/contact",
        "retention_days": 30,
        "team": [
            {"email_address": "ranger@parks.example.org", "phone_number": "07700 900201"},
            {"email_address": "office@parks.example.org"},
        ],
        "guest_list": {"email_addresses": ["visitor@example.org"], "phone_numbers": ["07700 900301"]},
        "sms_senders": [
            {"id": "6ad7b6ef-234d-49ef-9678-0be47e46857c", "sender": "PARKS", "default": True},
            {"id": "a0c8e8f2-7f87-49f2-9815-d5b48fa7c06b", "sender": "LAKE-CLOSED", "default": False},
        ],
        "reply_to_addresses": [
            {
                "id": "c884283a-b50b-4ecc-a914-6eb5b8c8c099",
                "email_address": "office@parks.example.org",
                "default": True,
            },
            {
                "id": "0799c715-23f2-4e3b-aed3-bf915ea84ee3",
                "email_address": "permits@parks.example.org",
                "default": False,
            },
        ],
        "templates": [
            {
                "id": EMAIL_TEMPLATE,
                "type": "email",
                "name": "Visit booked",
                "subject": "Your visit is booked, ((name))",
                "content": _BOOKING,
            },
            {"id": SMS_TEMPLATE, "type": "sms", "name": "Gate code", "content": "Your gate code is ((code))."},
            {
                "id": NEWSLETTER,
                "type": "email",
                "name": "Newsletter",
                "subject": "In the parks this ((month))",
                "content": NEWSLETTER_CONTENT,
                "unsubscribe_link": True,
            },
            {
                "id": PERMIT,
                "type": "email",
                "name": "Parking permit",
                "subject": "Your parking permit",
                "content": _PERMIT,
            },
        ],
        "api_keys": [{"name": LIVE_KEY, "type": "live"}, {"name": TEST_KEY, "type": "test", "manage_templates": True}],
    },
    {
        "id": LIBRARY,
        "name": "Library Renewals",
        "team": [{"email_address": "desk@library.example.org", "phone_number": "07700 900202"}],
        "guest_list": {"email_addresses": ["reader@example.org"], "phone_numbers": []},
        "sms_senders": [{"id": "1d068ab7-b875-4c79-bd42-c4e158082492", "sender": "LIBRARY", "default": True}],
        "reply_to_addresses": [
            {
                "id": "c2ce91bd-1660-4675-ba75-2e5538cfc643",
                "email_address": "desk@library.example.org",
                "default": True,
            }
        ],
        "templates": [
            {
                "id": RENEWAL,
                "type": "email",
                "name": "Renewal reminder",
                "subject": "Renew your books by ((date))",
                "content": _RENEWAL,
            },
            {
                "id": ACCENTED,
                "type": "sms",
                "name": "Story evening",
                "content": "Noson straeon yn Llyfrgell Ŵy: ((title)), 7yh. Café à l’étage.",
            },
        ],
        "api_keys": [{"name": "demo_team", "type": "team"}],
    },
]
