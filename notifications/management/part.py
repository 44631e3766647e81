"""What the sending area contributes to the shared commands."""

from config.management.parts import Part, register
from notifications import tasks
from notifications.delivery import status
from notifications.management import backlogs, carriers, checkups
from notifications.management.demo import make_demo, wipe_demo
from notifications.management.provision import provision
from notifications.management.reseals import reseals
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
        checkups=[carriers.carriers, backlogs.oldest_waiting, checkups.scanner, checkups.file_store],
        backlogs=backlogs.backlogs,
        reseals=reseals(),
    )
)
