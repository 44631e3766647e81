"""Where a message goes, where it came from, and which messages of its service it waits for."""

from django.db import models


class Channel(models.TextChoices):
    SMS = "sms", "Text message"
    EMAIL = "email", "Email"

    @property
    def noun(self) -> str:
        """Return what one message of the channel is called inside a sentence."""
        return self.label.lower()


class MessageOrigin(models.TextChoices):
    API = "api", "API"
    CONSOLE = "console", "Console"


class Lane(models.IntegerChoices):
    """Within a service, single messages go before messages of bulk sends. Paused messages wait."""

    SINGLE = 0
    BULK = 1
    PAUSED = 2
