"""What the sending area contributes to the shared commands."""

from config.management.parts import Checkup, Part, register
from notifications import tasks
from notifications.delivery import status
from notifications.management import backlogs, carriers, checkups
from notifications.management.demo import make_demo, wipe_demo
from notifications.management.provision import provision
from notifications.management.sealed import SEALED
from notifications.management.tries import try_email, try_sms
from notifications.models import counting

register(
    Part(
        area="notifications",
        provision_key="services",
        provision=provision,
        demo=make_demo,
        wipe=wipe_demo,
        tries={"email": try_email, "sms": try_sms},
        sweeps={
            "messages": tasks.enqueue_due,
            "callbacks": tasks.enqueue_callbacks,
            "receipts": status.apply_early,
            "silent": tasks.end_silent,
            "counts": counting.count_recent,
        },
        checkups=(
            Checkup(name="providers", look=carriers.carriers),
            Checkup(name="backlog", look=backlogs.oldest_waiting, needs_tables=True),
            Checkup(name="scanner", look=checkups.scanner),
            Checkup(name="files", look=checkups.file_store),
        ),
        backlogs=backlogs.backlogs,
        sealed=SEALED,
    )
)
