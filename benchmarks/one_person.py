"""Measure the export and the erasure of one person among many messages: `python -m benchmarks.one_person`.

The environment variable MESSAGES (default 1000000) sets the number of messages. The person has 1,000 of them, and 100
messages to other people mention the person. It uses an own PostgreSQL, prints JSON lines and a table.
Source: docs/reference/erasing.md.
"""

import os
import tempfile
import time
from pathlib import Path

import psycopg

from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import POSTGRES
from tests.servers import PrivatePostgres

MESSAGES = int(os.environ.get("MESSAGES", "1000000"))
OWN, MENTIONS = 1_000, 100
MOST_SECONDS = 10.0
RECIPIENTS = {"phone number": "07700900123", "email address": "ann.lee@example.org"}
_BODY = "Your permit is ready for collection at the harbour office from Monday to Friday between nine and five. " * 2

# The columns without a value here have defaults of the database, or are null.
_FILL = """
INSERT INTO notifications_notification (
    id, service_id, key_type, origin, created_by, request_id, channel, template_id, template_version, recipient,
    normalised_recipient, reference, subject, body, unsubscribe_link, parts, rate_multiplier, is_international, status,
    created_at, sent_at, completed_at, attempt, failed_attempts, attempts, provider, provider_reference, receipts
)
SELECT gen_random_uuid(), %(service)s, 'live', 'api', '', '', %(channel)s, %(template)s, 1, who, who, 'R' || n, NULL,
    %(body)s || CASE WHEN n <= %(mentions)s THEN %(person)s ELSE '' END, false, 1, 1, false, 'delivered',
    now() - n * interval '1 second', now(), now(), 1, 0,
    '[{"at": null, "provider": "mail", "outcome": "accepted", "reply": "250 2.0.0 Ok: queued", "ms": 12}]',
    'mail', n::text, '[]'
FROM (
    SELECT n, CASE WHEN n %% (%(messages)s / %(own)s) = 0 THEN %(person)s ELSE %(other)s || n END AS who
    FROM generate_series(1, %(messages)s) AS n
) AS numbered
"""


def main() -> None:
    postgres = PrivatePostgres(**POSTGRES)
    try:
        with tempfile.TemporaryDirectory(prefix="signalbox-person-") as folder:
            os.environ |= {"DATABASE_URL": postgres.url, "VAR_DIR": folder, "LOG_LEVEL": "critical"}
            import django
            from django.core.management import call_command

            django.setup()
            call_command("migrate", verbosity=0)
            measure(Path(folder))
    finally:
        postgres.stop()


def measure(folder: Path) -> None:
    from django.core.management import call_command

    from notifications.models import Channel
    from tests.factories import make_service, make_template

    bench = Bench(rounds=1)
    bench.show_machine()
    for what, recipient in RECIPIENTS.items():
        channel = Channel.EMAIL if "@" in recipient else Channel.SMS
        template = make_template(make_service(), channel)
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as cursor:
            cursor.execute("TRUNCATE notifications_notification CASCADE")
            values = {
                "service": template.service_id,
                "template": template.pk,
                "channel": channel.value,
                "body": _BODY,
                "messages": MESSAGES,
                "own": OWN,
                "mentions": MENTIONS,
                "person": recipient if "@" in recipient else f"44{recipient[1:]}",
                "other": "someone@example.net" if "@" in recipient else "4477",
            }
            cursor.execute(_FILL, values)
            cursor.execute("VACUUM ANALYZE notifications_notification")
        began = time.monotonic()
        call_command("erase_recipient", recipient, "--export", str(folder / f"{channel.value}.json"), "--yes")
        seconds = time.monotonic() - began
        bench.show(
            f"Export and erasure of a {what} among {MESSAGES} messages", [seconds], "s", at_most=MOST_SECONDS, own=OWN
        )
    bench.show_table()


if __name__ == "__main__":
    main()
