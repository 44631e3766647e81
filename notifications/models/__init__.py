"""The rows of the sending area. Outside this package a model is imported from here."""

from notifications.models.api_key import ApiKey, KeyType
from notifications.models.attachment import Attachment, AttachmentState, DownloadEvent, DownloadKind
from notifications.models.callback import CallbackEndpoint, CallbackKind
from notifications.models.claim import Attempt, Claim
from notifications.models.client_tries import ClientTries
from notifications.models.daily_count import DailyCount
from notifications.models.idempotency import IdempotencyRecord
from notifications.models.limit import DailyCounter, LimitKind, RateSlot
from notifications.models.notification import Channel, Notification, Origin
from notifications.models.received_text import ReceivedText
from notifications.models.sandbox_message import SandboxContent, SandboxMessage
from notifications.models.sender import ReplyToAddress, SmsSender
from notifications.models.service import GuestListEntry, Permission, RecipientKind, Service, TeamMember
from notifications.models.status import Status
from notifications.models.template import Template, TemplateVersion
from notifications.models.unsubscribe_request import UnsubscribeRequest

__all__ = [
    "ApiKey",
    "Attachment",
    "AttachmentState",
    "Attempt",
    "CallbackEndpoint",
    "CallbackKind",
    "Channel",
    "Claim",
    "ClientTries",
    "DailyCount",
    "DailyCounter",
    "DownloadEvent",
    "DownloadKind",
    "GuestListEntry",
    "IdempotencyRecord",
    "KeyType",
    "LimitKind",
    "Notification",
    "Origin",
    "Permission",
    "RateSlot",
    "ReceivedText",
    "RecipientKind",
    "ReplyToAddress",
    "SandboxContent",
    "SandboxMessage",
    "Service",
    "SmsSender",
    "Status",
    "TeamMember",
    "Template",
    "TemplateVersion",
    "UnsubscribeRequest",
]
