"""Check the signatures of callbacks, by Standard Webhooks 1.0."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from signalbox.errors import SignatureWrong

TOLERANCE_SECONDS = 300.0


def verify(
    headers: Mapping[str, str],
    body: bytes | str,
    secret: str,
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> dict[str, Any]:
    """Return the JSON of a callback with a valid signature. Raises SignatureWrong.

    headers: of the request, in any case; body: exactly as received; secret: `whsec_…` of the callback
    tolerance_seconds: the most that the time of the signature may differ from now, against repeats by strangers

    >>> body, secret = b'{"test": 2432232314}', "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    >>> headers = {
    ...     "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    ...     "webhook-timestamp": "1614265330",
    ...     "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ... }
    >>> verify(headers, body, secret, now=1614265330)
    {'test': 2432232314}
    >>> verify(headers, b"{}", secret, now=1614265330)
    Traceback (most recent call last):
    signalbox.errors.SignatureWrong: No signature of the callback is right
    """
    given = {name.lower(): value for name, value in headers.items()}
    missing = [name for name in ("webhook-id", "webhook-timestamp", "webhook-signature") if not given.get(name)]
    if missing:
        raise SignatureWrong(
            f"The callback has no {missing[0]}", fix="Create a signing secret for the callback in the console."
        )
    data = body.encode() if isinstance(body, str) else body
    timestamp = given["webhook-timestamp"]
    if not timestamp.isdecimal() or len(timestamp) > 12:
        raise SignatureWrong("The time of the callback is not a number")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise SignatureWrong("The callback is too old or too new", fix="Check the clock of this machine.")
    signed = f"{given['webhook-id']}.{timestamp}.".encode() + data
    expected = base64.b64encode(hmac.digest(_key(secret), signed, hashlib.sha256))
    signatures = (one.partition(",") for one in given["webhook-signature"].split(" "))
    if not any(kind == "v1" and hmac.compare_digest(one.encode(), expected) for kind, _, one in signatures):
        raise SignatureWrong("No signature of the callback is right", fix="Use the signing secret of this callback.")
    try:
        found = json.loads(data)
    except ValueError as error:
        raise SignatureWrong("The body of the callback is not JSON") from error
    return found if isinstance(found, dict) else {"data": found}


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise SignatureWrong(
            "The signing secret is not complete", fix="Copy it again: it starts with whsec_."
        ) from error
