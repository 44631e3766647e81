"""What `manage.py doctor` and the deep check see of the providers. Source: Security and reliability §11."""

from django.conf import settings

from config.management.parts import Finding
from notifications.delivery import providers
from notifications.models import ProviderPause


def carriers() -> Finding:
    """Name the providers, and those that refuse us."""
    configured = [carrier.name for carrier in providers.configured()]
    names = ", ".join(configured)
    if settings.PROVIDERS == ["sandbox"]:
        names += " (nothing leaves this machine)"
    pauses = ProviderPause.objects.filter(provider__in=configured).order_by("provider")
    paused = [f"{pause.provider} ({pause.reason})" for pause in pauses]
    fix = f"Refused by {', '.join(paused)}: correct PROVIDERS or the account; messages wait meanwhile."
    return Finding(name="providers", seen=names, fix=fix if paused else "")
