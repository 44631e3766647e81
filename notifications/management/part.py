"""The parts of the sending area in shared management commands."""

from config.areas import Commands, HealthCheck
from notifications import tasks
from notifications.delivery import status
from notifications.jobs import counting
from notifications.management import backlogs, health_checks
from notifications.management.demo import make_demo, wipe_demo
from notifications.management.provision.services import provision
from notifications.management.tries import try_email, try_sms
from notifications.submission.bulk import tasks as bulk_tasks

COMMANDS = Commands(
    area="notifications",
    provision_key="services",
    provision=provision,
    demo=make_demo,
    wipe=wipe_demo,
    tries={"email": try_email, "sms": try_sms},
    sweeps={
        "messages": tasks.wake_for_due,
        "callbacks": tasks.wake_for_due_callbacks,
        "bulk-sends": bulk_tasks.wake_for_due,
        "receipts": status.apply_early,
        "without-receipt": tasks.end_without_receipt,
        "counts": counting.count_recent,
    },
    health_checks=(
        HealthCheck(name="providers", look=health_checks.reachable_providers),
        HealthCheck(name="mailbox", look=health_checks.mailbox),
        HealthCheck(name="sign-in", look=health_checks.single_sign_on, needs_tables=True),
        HealthCheck(name="pauses", look=health_checks.paused, needs_tables=True),
        HealthCheck(name="backlog", look=backlogs.oldest_waiting, needs_tables=True),
        HealthCheck(name="scanner", look=health_checks.scanner),
        HealthCheck(name="files", look=health_checks.file_store),
    ),
    backlogs=backlogs.backlogs,
    pausables=health_checks.pausables,
)
