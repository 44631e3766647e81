"""Create valid and invalid tokens as callers do, without a JWT library."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any


def make_token(
    issuer: str,
    secret: str,
    *,
    iat_offset: float = 0,
    alg: str = "HS256",
    claims: Mapping[str, Any] | None = None,
    drop: Iterable[str] = (),
    header: Mapping[str, Any] | None = None,
    drop_header: Iterable[str] = (),
    payload: Any = None,
    payload_text: str | None = None,
    signature: str | None = None,
) -> str:
    """Sign with HMAC-SHA256, whatever the header says. `payload` and `signature` replace the right ones."""
    whole_header = {"typ": "JWT", "alg": alg, **(header or {})}
    whole_claims = {"iss": issuer, "iat": int(time.time()) + iat_offset, **(claims or {})}
    for name in drop_header:
        whole_header.pop(name)
    for name in drop:
        whole_claims.pop(name)
    text = payload_text or json.dumps(whole_claims if payload is None else payload)
    signed = f"{_b64(json.dumps(whole_header).encode())}.{_b64(text.encode())}"
    right = _b64(hmac.digest(secret.encode(), signed.encode(), hashlib.sha256))
    return f"{signed}.{right if signature is None else signature}"


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
