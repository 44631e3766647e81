"""What the sending area contributes to the shared commands."""

from config.management.parts import Part, register
from notifications.management.demo import make_demo
from notifications.management.provision import provision
from notifications.management.tries import try_email, try_sms

register(
    Part(
        area="notifications",
        provision_key="services",
        provision=provision,
        demo=make_demo,
        tries={"email": try_email, "sms": try_sms},
    )
)
