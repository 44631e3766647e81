"""Count wrong email addresses on download pages, by client. Source: docs/reference/files.md §9."""

from django.db import models

from config import formats


class ClientTries(models.Model):
    """Wrong email addresses from one IP address in one time window. tag: an HMAC of the IP address with a daily key."""

    tag = models.CharField(max_length=64, primary_key=True)
    tries = models.PositiveIntegerField(default=0)
    window_started_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "client tries"

    def __str__(self) -> str:
        return f"Tries since {formats.clock(self.window_started_at)}"
