"""Enrol, verify, replace and remove the second factor of an account. Source: docs/reference/security.md §1, §5."""

import base64
import hashlib
import secrets
from urllib.parse import quote, urlencode

import segno
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django_otp.models import Device

from config.accounts.models import DIGITS, STEP_SECONDS, Passkey, RecoveryCode, TotpDevice

KEY_BYTES = 20  # RFC 4226 §4 R6
RECOVERY_CODES = 10
_RECOVERY_BYTES = 10  # 16 letters and digits in base32, shown in four groups
_GROUP = 4


def of_account(user: User) -> Device | None:
    """Return the account's second factor: its app, or else its oldest passkey."""
    return device_of(user) or Passkey.objects.filter(user_id=user.pk).order_by("pk").first()


def device_of(user: User) -> TotpDevice | None:
    """Return the account's confirmed authenticator app."""
    return TotpDevice.objects.filter(user_id=user.pk, confirmed=True).first()


def pending_device_of(user: User) -> TotpDevice | None:
    """Return the account's unconfirmed device."""
    return TotpDevice.objects.filter(user_id=user.pk, confirmed=False).first()


def begin(user: User) -> TotpDevice:
    """Create an unconfirmed device with a new secret. Call `confirm` with its first code."""
    return TotpDevice.make(user.pk, secrets.token_bytes(KEY_BYTES))


def confirm(user: User, code: str) -> TotpDevice | None:
    """Replace the old device with the unconfirmed one if the code is right, else return None."""
    device = pending_device_of(user)
    if device is None or not device.verify_token(_plain(code)):
        return None
    with transaction.atomic():
        TotpDevice.objects.filter(user_id=user.pk, confirmed=True).delete()
        TotpDevice.objects.filter(pk=device.pk).update(confirmed=True)
    device.confirmed = True
    return device


def prove(user: User, code: str) -> Device | None:
    """Return the second factor if the code is a right code of the app or an unused recovery code. Each works once."""
    factor, app = of_account(user), device_of(user)
    if factor is None:
        return None
    plain = _plain(code)
    if not is_recovery_code(code):
        return app if app is not None and app.verify_token(plain) else None
    if app is not None and app.is_waiting():
        return None
    if RecoveryCode.objects.filter(user_id=user.pk, code_hash=_hash_of(plain), used_at=None).update(
        used_at=timezone.now()
    ):
        return factor
    if app is not None:
        app.count_wrong_code()
    return None


def is_recovery_code(code: str) -> bool:
    """Return whether a code is not in the form of the app's codes."""
    plain = _plain(code)
    return not (len(plain) == DIGITS and plain.isdecimal())


def new_recovery_codes(user: User) -> list[str]:
    """Replace all recovery codes with new ones and return them. The database stores only their hashes."""
    codes = [_spaced(base64.b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode()) for _ in range(RECOVERY_CODES)]
    with transaction.atomic():
        RecoveryCode.objects.filter(user_id=user.pk).delete()
        RecoveryCode.objects.bulk_create(
            [RecoveryCode(user_id=user.pk, code_hash=_hash_of(_plain(code))) for code in codes]
        )
    return codes


def recovery_codes_left(user: User) -> int:
    return RecoveryCode.objects.filter(user_id=user.pk, used_at=None).count()


def reset(user: User) -> bool:
    """Remove the app, the passkeys and the recovery codes. Return whether the account had a second factor."""
    with transaction.atomic():
        RecoveryCode.objects.filter(user_id=user.pk).delete()
        apps, _ = TotpDevice.objects.filter(user_id=user.pk).delete()
        keys, _ = Passkey.objects.filter(user_id=user.pk).delete()
    return apps + keys > 0


def is_demanded() -> bool:
    required: bool = settings.REQUIRE_SECOND_FACTOR
    return required


def spelled(device: TotpDevice) -> str:
    """Return the secret in groups of four, for users who type it into the app."""
    return _spaced(base64.b32encode(device.key).decode())


def key_uri(device: TotpDevice, user: User) -> str:
    """Return the text of the QR code: https://github.com/google/google-authenticator/wiki/Key-Uri-Format."""
    query = {
        "secret": base64.b32encode(device.key).decode(),
        "issuer": "Signalbox",
        "digits": DIGITS,
        "period": STEP_SECONDS,
    }
    return f"otpauth://totp/{quote(f'Signalbox:{user.get_username()}')}?{urlencode(query)}"


def qr_code(device: TotpDevice, user: User) -> str:
    """Return the QR code as an inline SVG."""
    svg: str = segno.make(key_uri(device, user), micro=False, error="m").svg_inline(
        scale=5, border=4, dark="#000", light="#fff", svgclass="sb-square", lineclass=None, omitsize=False
    )
    return svg


def _spaced(text: str) -> str:
    return "-".join(text[start : start + _GROUP] for start in range(0, len(text), _GROUP)).lower()


def _plain(code: str) -> str:
    """Return a code without spaces and hyphens, in capitals, because users type it in several ways."""
    return "".join(code.split()).replace("-", "").upper()


def _hash_of(plain: str) -> str:
    return hashlib.sha256(plain.encode(errors="replace")).hexdigest()
