"""The models of the sending area. Import them from this package, not from its modules."""

from notifications.models.api_key import ApiKey, KeyType
from notifications.models.attachment import Attachment, AttachmentState, DownloadEvent, DownloadKind
from notifications.models.bulk_row import BulkRow, RowState
from notifications.models.bulk_send import BulkSend, BulkState
from notifications.models.bulk_table import BulkTable, BulkTablePart
from notifications.models.callback import CallbackEndpoint, PauseReason
from notifications.models.callback_delivery import CallbackAttempt, CallbackDelivery, DeliveryState
from notifications.models.callback_event import CallbackEvent, CallbackKind
from notifications.models.channel import Channel, Lane, MessageOrigin
from notifications.models.client_tries import ClientTries
from notifications.models.data_set_event import DataSetEvent
from notifications.models.early_receipt import EarlyReceipt
from notifications.models.fallback import Fallback, FallbackState
from notifications.models.go_live_request import GoLiveRequest, GoLiveState
from notifications.models.hourly_calls import CallKind, CallResult, CallsOfHour, HourlyCalls
from notifications.models.hourly_count import CountedDay, HourlyCount
from notifications.models.idempotency import IdempotencyRecord
from notifications.models.key_usage import ApiCallError, ApiKeyDay, EndpointCalls
from notifications.models.limit import DailyCounter, KeyCounter, LimitKind, RateSlot
from notifications.models.limit_change import DAILY_LIMITS, LimitChange, ServiceLimit
from notifications.models.limit_use import LimitNotice, RefusedCalls
from notifications.models.log_export import LogExport, LogExportPart
from notifications.models.notification import Notification
from notifications.models.protected_name import NameRule, ProtectedName
from notifications.models.provider_circuit import ProviderCircuit
from notifications.models.provider_result import AttemptResult, OpenBreaker, ProviderCount, ProviderResult
from notifications.models.received_email import EmailForward, ReceivedContent, ReceivedEmail
from notifications.models.received_text import ReceivedText
from notifications.models.recipient_hash import RecipientHashKey
from notifications.models.repeat_guard import RepeatGuard
from notifications.models.request_callback import RequestCallback
from notifications.models.retried_message import RetriedMessage
from notifications.models.sandbox_hook import HookContent, SandboxHook, SandboxHookCall, SignatureCheck
from notifications.models.sandbox_message import SandboxContent, SandboxMessage
from notifications.models.sandbox_outcome import SandboxEvent, SandboxOutcome, SandboxRule
from notifications.models.sender import ReplyToAddress, ReplyToState, SmsSender
from notifications.models.sending_pause import PauseKind, SendingPause
from notifications.models.service import GuestListEntry, Permission, RecipientKind, Role, Service, TeamMember
from notifications.models.status import Status
from notifications.models.suppression import Suppression, SuppressionReason, SuppressionSource
from notifications.models.template import Template, TemplateTag, TemplateVersion, VersionState
from notifications.models.template_file import TemplateFile
from notifications.models.template_use import FailingCalls, TemplateUse
from notifications.models.text_part import TextPart
from notifications.models.unsubscribe_probe import UnsubscribeProbe
from notifications.models.unsubscribe_request import UnsubscribeRequest
