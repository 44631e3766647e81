"""Forged tokens get 401 or 403 as the contract states, and cause no requests.

Source: docs/reference/security.md §2; docs/testing.md, G1, G3.
"""

import base64
import hashlib
import hmac
import json
import sys
import time
from collections import Counter
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from tests.notifications.calling import Caller, make_caller
from tests.notifications.tokens import make_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def ask(authorization: str) -> int:
    client = Client(raise_request_exception=False)
    return int(client.get("/v2/notifications", headers={"Authorization": authorization}).status_code)


def part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def signed(secret: bytes, header: Any, claims: Any, digest: Any = hashlib.sha256) -> str:
    text = f"{part(header)}.{part(claims)}"
    mark = base64.urlsafe_b64encode(hmac.digest(secret, text.encode(), digest)).rstrip(b"=").decode()
    return f"Bearer {text}.{mark}"


HEADERS: dict[str, dict[str, Any]] = {
    "none": {"alg": "none"},
    "None": {"alg": "None"},
    "NONE": {"alg": "NONE"},
    "nOnE": {"alg": "nOnE"},
    "HS384": {"alg": "HS384"},
    "HS512": {"alg": "HS512"},
    "a public key's label": {"alg": "RS256"},
    "a list": {"alg": ["HS256"]},
    "a number": {"alg": 256},
    "nothing": {"alg": None},
    "crit": {"alg": "HS256", "crit": ["b64"], "b64": False},
    "crit that is no list": {"alg": "HS256", "crit": "exp"},
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
@pytest.mark.fault("G1", "G3")
def test_a_token_with_a_forged_header_is_rejected(caller: Caller, header: dict[str, Any]) -> None:
    claims = {"iss": str(caller.service.id), "iat": int(time.time())}
    secret = str(caller.key.secret).encode()
    digest = {"HS384": hashlib.sha384, "HS512": hashlib.sha512}.get(str(header["alg"]), hashlib.sha256)

    assert ask(signed(secret, {"typ": "JWT", **header}, claims, digest)) == 403
    assert ask(f"Bearer {part({'typ': 'JWT', **header})}.{part(claims)}.") == 403


@pytest.mark.parametrize(
    "further",
    [
        {"kid": "../../../../dev/null"},
        {"kid": "x' UNION SELECT 'secret"},
        {"jku": "http://127.0.0.1:1/keys"},
        {"x5u": "http://127.0.0.1:1/certificate"},
        {"jwk": {"kty": "oct", "k": "AA"}},
        {"x5c": ["AA"]},
    ],
    ids=lambda further: next(iter(further)),
)
@pytest.mark.fault("G1", "G3")
def test_keys_in_a_token_are_ignored(caller: Caller, further: dict[str, Any]) -> None:
    claims = {"iss": str(caller.service.id), "iat": int(time.time())}

    assert ask(signed(str(caller.key.secret).encode(), {"alg": "HS256", **further}, claims)) == 200
    assert ask(signed(b"", {"alg": "HS256", **further}, claims)) == 403
    assert ask(signed(b"\0", {"alg": "HS256", **further}, claims)) == 403


def test_a_key_signs_for_its_own_service_only(caller: Caller) -> None:
    other = make_caller()

    assert ask(f"Bearer {make_token(str(caller.service.id), other.key.secret)}") == 403
    assert ask(f"Bearer {make_token(str(other.service.id), caller.key.secret)}") == 403


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        pytest.param("Bearer " + "a" * 1_000_000, 401, id="a megabyte"),
        pytest.param("Bearer " + "." * 4000, 403, id="dots"),
        pytest.param("Bearer " + ".".join([part({"alg": "dir", "enc": "A256GCM"}), "", "a", "b", "c"]), 403, id="JWE"),
        pytest.param("Bearer " + ".".join([part([1]), part([2]), "a"]), 403, id="lists"),
        pytest.param("Bearer a.b.c, Bearer d.e.f", 401, id="two headers, as a server joins them"),
    ],
)
def test_an_invalid_token_is_rejected(authorization: str, status: int) -> None:
    assert ask(authorization) in {status, 401, 403}
    assert ask(authorization) == status


@pytest.mark.fault("G1", "G3")
def test_an_unknown_service_causes_the_same_work_as_a_wrong_signature(caller: Caller) -> None:
    known = f"Bearer {make_token(str(caller.service.id), str(uuid4()))}"
    unknown = f"Bearer {make_token(str(uuid4()), str(uuid4()))}"
    ask(known)
    ask(unknown)

    assert digests(known) == digests(unknown) > 0


def digests(authorization: str) -> int:
    """Count the HMACs of one request with the interpreter's profile events."""
    seen: Counter[str] = Counter()

    def note(frame: Any, event: str, function: Any) -> None:
        if event == "c_call" and getattr(function, "__name__", "") in {"hmac_digest", "compare_digest", "hmac_new"}:
            seen[function.__name__] += 1

    sys.setprofile(note)
    try:
        ask(authorization)
    finally:
        sys.setprofile(None)
    return sum(seen.values())
