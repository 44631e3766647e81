"""End the claims of a worker that is dead, instead of waiting until they expire."""

from tests.service import Service

_CODE = """
from django.utils import timezone
from notifications.models import CallbackDelivery, Notification

for model in (Notification, CallbackDelivery):
    model.objects.exclude(claimed_until=None).update(claimed_until=timezone.now())
"""


def end_claims(service: Service) -> None:
    """Call it while no worker runs: another one could send the messages of a living worker again."""
    done = service.manage("shell", "--no-imports", "-c", _CODE)
    assert done.returncode == 0, done.stderr
