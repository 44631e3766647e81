"""Unsubscribe requests: recipients want no more emails of a template. A request outlives its message."""

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
        """Return the done requests that are older than the service's retention, oldest first."""
        kept_since = timezone.now() - timedelta(days=service.unsubscribe_request_days)
        return self.filter(service=service, done_at__lt=kept_since).order_by("done_at")

    def adopt_earlier(self) -> None:
        """Move the requests that a process of the previous release has stored since the migration."""
        with transaction.atomic():
            earlier = list(
                EarlierUnsubscribeRequest.objects.select_related("notification").select_for_update(of=("self",))
            )
            requests = [
                UnsubscribeRequest(
                    service_id=request.notification.service_id,
                    template_id=request.notification.template_id,
                    notification_id=request.notification_id,
                    recipient=request.notification.recipient,
                    email_created_at=request.notification.created_at,
                    created_at=request.at,
                )
                for request in earlier
            ]
            self.bulk_create(requests, ignore_conflicts=True)
            EarlierUnsubscribeRequest.objects.filter(pk__in=[request.pk for request in earlier]).delete()


class UnsubscribeRequest(models.Model):
    """A confirmed request, at most one for each email.

    notification_id: not a foreign key, because messages are deleted earlier
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
    created_at = models.DateTimeField("requested", default=timezone.now)
    done_at = models.DateTimeField(null=True)
    done_by = models.CharField(max_length=255, blank=True)

    objects = UnsubscribeRequestQuerySet.as_manager()

    class Meta:
        db_table = "notifications_unsubscribe_request"  # the default name belongs to the earlier table
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
    """A request as the previous release stores it: deleted with its message.

    A process of that release may still run for some seconds after the migration. Remove this model in the next release.
    """

    notification = models.OneToOneField("notifications.Notification", on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        db_table = "notifications_unsubscriberequest"

    def __str__(self) -> str:
        return f"Earlier unsubscribe request {self.pk}"
