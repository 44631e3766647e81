"""How often somebody has guessed addresses of files, over all files. Source: docs/reference/files.md §9."""

from django.db import models


class ClientTries(models.Model):
    """Wrong addresses from one network address in one window. tag: an HMAC of it, under a key of the day."""

    tag = models.CharField(max_length=64, primary_key=True)
    tries = models.PositiveIntegerField(default=0)
    window_started_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "client tries"

    def __str__(self) -> str:
        return f"Tries since {self.window_started_at:%H:%M}"
