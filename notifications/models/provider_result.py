"""What providers answered lately, for the page of the queues. `notifications.delivery.results` writes the rows.

Source: docs/reference/console.md §3.14.
"""

from django.db import models

from config import formats


class AttemptResult(models.TextChoices):
    """The result of one attempt. UNCERTAIN: the provider may have the message."""

    ACCEPTED = "accepted", "Accepted"
    REJECTED = "permanent", "Rejected"
    FAILED = "temporary", "Failed"
    UNCERTAIN = "uncertain", "Unknown"


class ProviderResult(models.Model):
    """One of the newest attempts of a provider. error: a few words such as `550 at RCPT`, never a recipient."""

    provider = models.CharField(max_length=60)
    at = models.DateTimeField()
    result = models.CharField(max_length=9, choices=AttemptResult.choices)
    error = models.CharField(max_length=100, blank=True)
    ms = models.PositiveIntegerField()

    class Meta:
        indexes = [models.Index(fields=["provider", "-at", "-id"], name="provider_result_newest")]

    def __str__(self) -> str:
        return f"Result {self.pk} of {self.provider}"


class ProviderCount(models.Model):
    """The attempts of a provider with one result in the five minutes from `began_at` on."""

    provider = models.CharField(max_length=60)
    began_at = models.DateTimeField()
    result = models.CharField(max_length=9, choices=AttemptResult.choices)
    number = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["began_at", "provider", "result"], name="provider_count_unique")]

    def __str__(self) -> str:
        return f"Count of {self.provider} at {formats.clock(self.began_at)}"


class OpenBreaker(models.Model):
    """The circuit breaker of one worker process that is open or half-open.

    holder: as in `config.queue.worker_processes`; half_open_at: when its process tries the provider again
    """

    provider = models.CharField(max_length=60)
    holder = models.CharField(max_length=64)
    half_open_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["provider", "holder"], name="open_breaker_one_a_process")]

    def __str__(self) -> str:
        return f"Open breaker of {self.provider}"
