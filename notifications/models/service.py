"""A service, the people of its team, and its guest list. Source: docs/reference/console.md §2.2, §2.7, §2.8."""

import uuid
from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from config.utc_days import start_of_day_before
from notifications.recipients import phone
from notifications.validation.services import (
    DEFAULT_UNSUBSCRIBE_REQUEST_DAYS,
    MAX_REPEAT_GUARD_MINUTES,
    PAGE_LANGUAGES,
    RETENTION_DAYS,
    UNSUBSCRIBE_REQUEST_DAYS,
)


class Permission(models.TextChoices):
    SMS = "sms", "Text messages"
    EMAIL = "email", "Emails"
    INTERNATIONAL_SMS = "international_sms", "International numbers"
    SMS_TO_UK_LANDLINES = "sms_to_uk_landlines", "UK landlines"


class Role(models.TextChoices):
    """A role of a team member in one service, stored in `TeamMember.roles`. Source: docs/reference/console.md §1.3."""

    SEE_ACTIVITY = "see_activity", "See activity"
    SEE_RECIPIENTS = "see_recipients", "See recipients"
    SEND_MESSAGES = "send_messages", "Send messages"
    EDIT_TEMPLATES = "edit_templates", "Edit templates"
    MANAGE_API = "manage_api", "Manage API"
    MANAGE_SERVICE = "manage_service", "Manage service"


_INCLUDED = {Role.SEE_RECIPIENTS: Role.SEE_ACTIVITY}  # a role → the role that it includes


class RecipientKind(models.TextChoices):
    EMAIL = "email", "Email address"
    PHONE = "phone", "Phone number"


def default_permissions() -> list[str]:
    return [Permission.SMS.value, Permission.EMAIL.value, Permission.INTERNATIONAL_SMS.value]


class Service(models.Model):
    """A service, with the settings that its keys, templates, senders and limits belong to.

    time_zone: blank for TIME_ZONE
    quiet_hours: by channel, as `notifications.validation.quiet_hours` states it
    repeat_guard_minutes: 0 if the repeat guard is off
    has_own_name: whether no other service may have the name; False if a document repeated the name of another service
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=255)
    has_own_name = models.BooleanField(default=False, db_default=False, editable=False)
    active = models.BooleanField(
        default=True, help_text="An archived service keeps its data and rejects every API call."
    )
    live = models.BooleanField(default=False, help_text="A service in trial can send only to its team and guest list.")
    permissions = models.JSONField(default=default_permissions)
    prefix_sms = models.BooleanField("start with the service name", default=False)
    file_contact = models.CharField(
        max_length=255, blank=True, help_text="A link that begins with https://, an email address or a phone number."
    )
    retention_days = models.PositiveSmallIntegerField("keep messages for (days)", default=7)
    unsubscribe_request_days = models.PositiveSmallIntegerField(
        "keep done unsubscribe requests for (days)",
        default=DEFAULT_UNSUBSCRIBE_REQUEST_DAYS,
        db_default=DEFAULT_UNSUBSCRIBE_REQUEST_DAYS,
    )
    rate_limit_per_minute = models.PositiveIntegerField(default=3000)
    daily_limit_sms = models.PositiveIntegerField()
    daily_limit_email = models.PositiveIntegerField()
    daily_limit_international_sms = models.PositiveIntegerField()
    accepts_whole_keys = models.BooleanField(default=False, db_default=False)
    time_zone = models.CharField(max_length=64, blank=True, default="", db_default="")
    quiet_hours = models.JSONField(null=True, blank=True)
    repeat_guard_minutes = models.PositiveSmallIntegerField(default=0, db_default=0)
    suppressed_sends_are_rejected = models.BooleanField(default=False, db_default=False)
    stop_texts_suppress = models.BooleanField(default=False, db_default=False)
    page_language = models.CharField(
        "language of public pages",
        max_length=7,
        choices=list(PAGE_LANGUAGES.items()),
        default=settings.LANGUAGE_CODE,
        db_default=settings.LANGUAGE_CODE,
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(retention_days__gte=RETENTION_DAYS[0], retention_days__lte=RETENTION_DAYS[-1]),
                name="service_retention_3_to_90",
            ),
            models.CheckConstraint(
                condition=models.Q(rate_limit_per_minute__gte=1), name="service_rate_limit_1_or_more"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    unsubscribe_request_days__gte=UNSUBSCRIBE_REQUEST_DAYS[0],
                    unsubscribe_request_days__lte=UNSUBSCRIBE_REQUEST_DAYS[-1],
                ),
                name="service_unsubscribe_requests_30_to_730",
            ),
            models.CheckConstraint(
                condition=models.Q(repeat_guard_minutes__lte=MAX_REPEAT_GUARD_MINUTES),
                name="service_repeat_guard_up_to_a_day",
            ),
            models.UniqueConstraint(
                Lower("name"), condition=models.Q(has_own_name=True), name="service_name_unique_in_any_case"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def zone_name(self) -> str:
        """Return the name of the time zone in which the service's quiet hours are stated."""
        return self.time_zone or settings.TIME_ZONE

    @property
    def audit_scope(self) -> dict[str, uuid.UUID]:
        return {"service_id": self.pk}

    def kept_since(self) -> datetime:
        """Return the start of the oldest UTC day whose messages are shown, even if older ones are not deleted yet."""
        return start_of_day_before(self.retention_days)


class TeamMemberQuerySet(models.QuerySet["TeamMember"]):
    def roles_of(self, user_id: int | None) -> dict[UUID, frozenset[Role]]:
        """Return the roles of an account by the id of each service that it is a team member of."""
        rows = self.filter(user_id=user_id).values_list("service_id", "roles") if user_id is not None else []
        return {service_id: _with_included(stored) for service_id, stored in rows}

    def services_of(self, user_ids: Collection[int]) -> dict[int, list[str]]:
        """Return the names of the active services of each account."""
        found: dict[int, list[str]] = defaultdict(list)
        members = self.filter(user_id__in=user_ids, service__active=True)
        for user_id, name in members.order_by("service__name").values_list("user_id", "service__name"):
            found[user_id].append(name)
        return found


def _with_included(stored: list[str]) -> frozenset[Role]:
    held = {Role(word) for word in stored if word in Role.values}
    return frozenset(held | {_INCLUDED[role] for role in held if role in _INCLUDED})


class TeamMember(models.Model):
    """A team member: a recipient for a trial service or a team key, and with an account a user of the console."""

    title_is_recipient = True
    recipient_fields = ("email_address", "normalised_email", "phone_number", "normalised_phone")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="team")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    email_address = models.CharField(max_length=320)
    phone_number = models.CharField(max_length=40, blank=True)
    normalised_email = models.CharField(max_length=320, editable=False)
    normalised_phone = models.CharField(max_length=40, blank=True, editable=False)
    roles = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)

    objects = TeamMemberQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["service", "normalised_email"],
                condition=~models.Q(normalised_email=""),  # of an account without an email address
                name="team_member_email_unique",
            ),
            models.UniqueConstraint(fields=["service", "user"], name="team_member_account_unique"),
        ]

    def __str__(self) -> str:
        return f"Team member {str(self.id)[:8]}"

    @property
    def title(self) -> str:
        """Return the email address, or the username of an account that has none."""
        return self.email_address or (self.user.get_username() if self.user else "")

    def is_last_manager(self) -> bool:
        """Return whether no other member with an active account has the role *Manage service*.

        The check locks the service, so that two managers cannot remove each other at the same time.
        """
        Service.objects.select_for_update().get(pk=self.service_id)
        holders = TeamMember.objects.filter(service_id=self.service_id, user__is_active=True)
        return {row.pk for row in holders if Role.MANAGE_SERVICE in row.roles} == {self.pk}


class GuestListEntry(models.Model):
    """A recipient outside the team to whom a trial service or a team key can send."""

    title_is_recipient = True
    recipient_fields = ("value", "normalised")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="guest_list")
    kind = models.CharField(max_length=5, choices=RecipientKind.choices)
    value = models.CharField(max_length=320)
    normalised = models.CharField(max_length=320, editable=False)
    note = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)

    class Meta:
        verbose_name_plural = "guest list entries"
        constraints = [
            models.UniqueConstraint(fields=["service", "kind", "normalised"], name="guest_list_entry_unique"),
        ]

    def __str__(self) -> str:
        return f"Guest list entry {str(self.id)[:8]}"

    @property
    def title(self) -> str:
        return phone.displayed(self.value)
