"""The models of the second factor: an authenticator app, passkeys, and recovery codes for a lost phone.

Source: docs/reference/security.md §1, §5. Unlike django-otp's device, this one encrypts its key.
"""

import time
from datetime import timedelta
from typing import Any, Self

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone
from django_otp.models import Device
from django_otp.oath import TOTP

from config import encryption

TABLE = "accounts_totp_device"
STEP_SECONDS = 30  # RFC 6238 §4.1: the value that every authenticator app uses
DIGITS = 6
TOLERANCE_STEPS = 1  # RFC 6238 §5.2: the clock of a phone may be one step off
MAX_WRONG_CODES = 10  # in WINDOW, from all IP addresses: ten guesses succeed once in 33,000 times
WINDOW = timedelta(minutes=15)
_NAME = "Authenticator app"


class TotpDevice(Device):
    """An authenticator app. It is unconfirmed until the user has entered a first code.

    last_step: the time step of the last accepted code. Only codes of later steps are accepted, so each works once.
    """

    id: int
    encrypted_key = models.BinaryField(editable=False)
    last_step = models.BigIntegerField(default=-1, editable=False)
    wrong_codes = models.PositiveSmallIntegerField(default=0, editable=False)
    wrong_since = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        db_table = TABLE
        verbose_name = "second factor"
        constraints = [
            models.UniqueConstraint(fields=["user", "confirmed"], name="totp_device_one_of_each"),
        ]

    def __str__(self) -> str:
        return f"Second factor {self.pk}"

    @property
    def key(self) -> bytes:
        return bytes.fromhex(encryption.decrypt(bytes(self.encrypted_key), table=TABLE, column="key", row=str(self.pk)))

    @classmethod
    def make(cls, user_id: int, key: bytes) -> Self:
        """Store a new unconfirmed device, which replaces an older unconfirmed one."""
        with transaction.atomic():
            cls.objects.filter(user_id=user_id, confirmed=False).delete()
            device: Self = cls.objects.create(
                user_id=user_id, name="Authenticator app", confirmed=False, encrypted_key=b""
            )
            device.encrypted_key = encryption.encrypt(key.hex(), table=TABLE, column="key", row=str(device.pk))
            device.save(update_fields=["encrypted_key"])
        return device

    def is_waiting(self) -> bool:
        """Return whether the device accepts no code for now, because too many wrong codes were entered."""
        is_young = self.wrong_since is not None and timezone.now() - self.wrong_since < WINDOW
        return is_young and self.wrong_codes >= MAX_WRONG_CODES

    def verify_token(self, token: str) -> bool:
        """Return whether the code is right and was not used before. Of two concurrent requests, one succeeds."""
        with transaction.atomic():
            row = type(self).objects.select_for_update().get(pk=self.pk)
            if row.is_waiting():
                return False
            step = row._step_of(token)
            if step is None:
                row._count_wrong_code()
                return False
            type(self).objects.filter(pk=self.pk).update(last_step=step, wrong_codes=0, wrong_since=None)
        return True

    def count_wrong_code(self) -> None:
        """Count a wrong recovery code like a wrong code of the app."""
        with transaction.atomic():
            type(self).objects.select_for_update().get(pk=self.pk)._count_wrong_code()

    def _step_of(self, token: str) -> int | None:
        """Return the time step of a right code, or None for a wrong code or one of an earlier step."""
        if not (len(token) == DIGITS and token.isascii() and token.isdecimal()):
            return None
        clock: Any = TOTP(self.key, step=STEP_SECONDS, digits=DIGITS)  # type: ignore[no-untyped-call]
        clock.time = time.time()
        return clock.t() if clock.verify(int(token), TOLERANCE_STEPS, self.last_step + 1) else None

    def _count_wrong_code(self) -> None:
        now = timezone.now()
        if self.wrong_since is None or now - self.wrong_since >= WINDOW:
            self.wrong_codes, self.wrong_since = 0, now
        self.wrong_codes += 1
        self.save(update_fields=["wrong_codes", "wrong_since"])


class Passkey(Device):
    """A WebAuthn credential. Its private key stays in the person's device, so this row has nothing to encrypt.

    name: what the person calls it, such as "Work laptop"
    public_key: in the form of COSE, as the device sent it
    user_handle: random bytes that the device stores with the key; the same for all passkeys of an account
    transports: hints for the browser, such as "usb"
    sign_count: the device's counter at the last use; 0 if the device has none
    """

    id: int
    credential_id = models.BinaryField(max_length=1023, editable=False)
    public_key = models.BinaryField(editable=False)
    user_handle = models.BinaryField(max_length=64, editable=False)
    transports = models.JSONField(default=list, editable=False)
    sign_count = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        db_table = "accounts_passkey"
        constraints = [
            models.UniqueConstraint(fields=["credential_id"], name="passkey_credential_unique"),
            models.CheckConstraint(
                condition=models.Q(sign_count__gte=0, sign_count__lt=2**32), name="passkey_sign_count_has_32_bits"
            ),
        ]

    def __str__(self) -> str:
        return f"Passkey {self.pk}"


class RecoveryCode(models.Model):
    """A code that replaces the app or a passkey once. It has 80 random bits, so SHA-256 without a salt is enough."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="recovery_codes")
    code_hash = models.CharField(max_length=64, editable=False)
    used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        db_table = "accounts_recovery_code"
        constraints = [models.UniqueConstraint(fields=["user", "code_hash"], name="recovery_code_hash_unique")]

    def __str__(self) -> str:
        return f"Recovery code {self.pk}"
