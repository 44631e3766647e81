"""Webhooks of the sandbox: URLs that keep what is posted to them. Source: docs/reference/running.md §9."""

import base64
import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Self

from django.db import models
from django.utils import timezone

from config import encryption

MOST_HOOKS, MOST_CALLS = 100, 200  # calls of one hook
KEPT_FOR = timedelta(days=7)
MAX_DELAY_SECONDS = 10  # a call of Signalbox ends after 5 s
MOST_BYTES_SHOWN = 16 * 1024 * 1024  # of the bodies of one answer, which the process holds in memory


class SignatureCheck(models.TextChoices):
    """The result of the check of a signature. UNKNOWN: no callback of this installation has the URL of the hook."""

    RIGHT = "right", "Right"
    WRONG = "wrong", "Wrong"
    MISSING = "missing", "Missing"
    UNKNOWN = "unknown", "Not checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookContent:
    """The headers and the body of one call.

    body: the text, or base64 if the body is not text
    """

    headers: Mapping[str, str]
    body: str
    is_text: bool = True

    @classmethod
    def of(cls, headers: Mapping[str, str], body: bytes) -> Self:
        """Return the content that keeps each byte of the body."""
        try:
            text = body.decode()
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            return cls(headers=headers, body=base64.b64encode(body).decode(), is_text=False)
        return cls(headers=headers, body=text)

    @property
    def sent(self) -> bytes:
        """The body as it was sent."""
        return self.body.encode() if self.is_text else base64.b64decode(self.body)


class SandboxHook(models.Model):
    """One URL. status: of its response; delay_seconds: the time before its response"""

    name = models.CharField(max_length=60, primary_key=True)
    status = models.PositiveSmallIntegerField(default=200)
    delay_seconds = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"Webhook {self.name}"


class SandboxHookCallQuerySet(models.QuerySet["SandboxHookCall"]):
    def newest(self) -> Self:
        return self.order_by("-received_at", "-id")[:MOST_CALLS]

    def shown(self) -> Iterator["SandboxHookCall"]:
        """Yield the newest calls, until their bodies are larger than one answer may be."""
        size = 0
        for pk in list(self.newest().values_list("pk", flat=True)):
            call = self.filter(pk=pk).first()
            if call is None:
                continue
            yield call
            size += len(call.encrypted_content)
            if size > MOST_BYTES_SHOWN:
                return

    def store(self, hook: SandboxHook, method: str, content: HookContent, signature: SignatureCheck) -> None:
        """Store one call. Its content is encrypted, because it may name recipients. Delete the oldest calls."""
        call = SandboxHookCall(hook=hook, method=method, status=hook.status, signature=signature)
        call.encrypted_content = encryption.encrypt(
            json.dumps(asdict(content)), table="sandbox_hook_call", column="content", row=str(call.id)
        )
        call.save(force_insert=True)
        kept = list(self.filter(hook=hook).newest().values_list("pk", flat=True))
        if len(kept) == MOST_CALLS:
            self.filter(hook=hook).exclude(pk__in=kept).delete()

    def to_forget(self) -> Self:
        return self.filter(received_at__lt=timezone.now() - KEPT_FOR)


class SandboxHookCall(models.Model):
    """One request to a hook. status: of the response that it got. `content` decrypts it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    hook = models.ForeignKey(SandboxHook, on_delete=models.CASCADE, related_name="calls", db_index=False)
    method = models.CharField(max_length=10)
    status = models.PositiveSmallIntegerField()
    signature = models.CharField(max_length=7, choices=SignatureCheck.choices)
    encrypted_content = models.BinaryField()
    received_at = models.DateTimeField(default=timezone.now)

    objects = SandboxHookCallQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["hook", "-received_at", "-id"], name="sandbox_hook_call_newest")]

    def __str__(self) -> str:
        return f"Call {str(self.id)[:8]} of a webhook"

    @property
    def content(self) -> HookContent:
        """Return the decrypted content. Raises config.encryption.DecryptionFailed."""
        encrypted = bytes(self.encrypted_content)
        plain = encryption.decrypt(encrypted, table="sandbox_hook_call", column="content", row=str(self.id))
        return HookContent(**json.loads(plain))
