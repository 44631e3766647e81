"""Recipients who asked a service for no more emails like one that they got. A request outlives its message."""

import uuid
from datetime import timedelta
from typing import Self

from django.db import models, transaction
from django.utils import timezone

from notifications.models.service import Service


class UnsubscribeRequestQuerySet(models.QuerySet["UnsubscribeRequest"]):
    def waiting(self) -> Self:
        """Return the requests that staff have not marked as done."""
        return self.filter(done_at=None)

    def to_forget(self, service: Service) -> Self:
        """Return the requests that staff marked as done longer ago than the service keeps them, oldest first."""
        kept_since = timezone.now() - timedelta(days=service.unsubscribe_request_days)
        return self.filter(service=service, done_at__lt=kept_since).order_by("done_at")

    def adopt_earlier(self) -> None:
        """Take over what a process of the release before this one has stored since the migration."""
        with transaction.atomic():
            earlier = list(
                EarlierUnsubscribeRequest.objects.select_related("notification").select_for_update(of=("self",))
            )
            requests = [
                UnsubscribeRequest(
                    service_id=one.notification.service_id,
                    template_id=one.notification.template_id,
                    notification_id=one.notification_id,
                    recipient=one.notification.recipient,
                    email_created_at=one.notification.created_at,
                    created_at=one.at,
                )
                for one in earlier
            ]
            self.bulk_create(requests, ignore_conflicts=True)
            EarlierUnsubscribeRequest.objects.filter(pk__in=[one.pk for one in earlier]).delete()


class UnsubscribeRequest(models.Model):
    """One confirmed request for each email.

    notification_id: no foreign key, since messages are deleted earlier
    recipient: as the caller gave it; email_created_at: when the service sent the email
    """

    title_is_recipient = True
    recipient_fields = ("recipient",)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="unsubscribe_requests", db_index=False)
    template = models.ForeignKey("notifications.Template", on_delete=models.CASCADE, db_index=False)
    notification_id = models.UUIDField(unique=True)
    recipient = models.CharField(max_length=400)
    email_created_at = models.DateTimeField("email sent")
    created_at = models.DateTimeField("asked", default=timezone.now)
    done_at = models.DateTimeField(null=True)
    done_by = models.CharField(max_length=255, blank=True)

    objects = UnsubscribeRequestQuerySet.as_manager()

    class Meta:
        db_table = "notifications_unsubscribe_request"  # the usual name is that of the earlier table
        indexes = [
            models.Index(fields=["service", "-created_at", "-id"], name="unsubscribe_request_list"),
            models.Index(
                fields=["service", "done_at"], condition=~models.Q(done_at=None), name="unsubscribe_request_done"
            ),
        ]

    def __str__(self) -> str:
        return f"Unsubscribe request {str(self.id)[:8]}"

    @property
    def title(self) -> str:
        return self.recipient


class EarlierUnsubscribeRequest(models.Model):
    """A request as the release before this one stores it: deleted with its message.

    A process of that release may still run for some seconds after the migration. To be removed in the next release.
    """

    notification = models.OneToOneField("notifications.Notification", on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        db_table = "notifications_unsubscriberequest"

    def __str__(self) -> str:
        return f"Earlier unsubscribe request {self.pk}"
