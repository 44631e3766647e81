"""Signatures of callbacks by Standard Webhooks 1.0, for which receivers can use ready-made libraries.

Source: docs/reference/security.md §6; docs/reference/sending-api.md §20.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime


def headers(webhook_id: str, body: bytes, secrets: Sequence[str], now: datetime) -> Mapping[str, str]:
    """Return the headers of one attempt. Unsigned callbacks have the id, too, so that receivers can detect repeats.

    secrets: `whsec_…`; while a secret is being replaced, the header has two signatures, separated by a space
    """
    if not secrets:
        return {"webhook-id": webhook_id}
    timestamp = int(now.timestamp())
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(_signature(secret, webhook_id, timestamp, body) for secret in secrets),
    }


def _signature(secret: str, webhook_id: str, timestamp: int, body: bytes) -> str:
    """Return the signature of `id.timestamp.body`. The example is from the Standard Webhooks specification.

    >>> secret, webhook_id = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek"
    >>> _signature(secret, webhook_id, 1614265330, b'{"test": 2432232314}')
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    return f"v1,{base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()}"
