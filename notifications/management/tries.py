"""`manage.py try email` and `try sms`: one message to the running service, over HTTP, as any caller would.

Source: Developer experience §2, §12.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping

import jwt
from django.core.management import CommandError

from config.envelopes import HELPFUL

SECRET_LENGTH = 36  # a key ends in the service's id and the secret, with a hyphen between


def try_email(base_url: str, variables: dict[str, str]) -> str:
    body = {
        "email_address": "ana@example.org",
        "template_id": variables["EMAIL_TEMPLATE"],
        "personalisation": {"name": "Ana", "items": ["warm clothes", "this email"]},
    }
    return _post(base_url, "email", variables["NOTIFY_API_KEY"], body)


def try_sms(base_url: str, variables: dict[str, str]) -> str:
    body = {
        "phone_number": "07700 900123",
        "template_id": variables["SMS_TEMPLATE"],
        "personalisation": {"code": "4711"},
    }
    return _post(base_url, "sms", variables["NOTIFY_API_KEY"], body)


def _post(base_url: str, channel: str, key: str, body: Mapping[str, object]) -> str:
    """Send and return the line to print. Raises CommandError with the service's own words."""
    service_id, secret = key[-2 * SECRET_LENGTH - 1 : -SECRET_LENGTH - 1], key[-SECRET_LENGTH:]
    token = jwt.encode({"iss": service_id, "iat": int(time.time())}, secret, algorithm="HS256")
    request = urllib.request.Request(  # noqa: S310  the address is the operator's own
        f"{base_url}/v2/notifications/{channel}",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Accept": HELPFUL},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            identifier = json.load(answer)["id"]
    except urllib.error.HTTPError as error:
        told = [f"{fault['message']} ({fault.get('fix', '')})" for fault in json.load(error)["errors"]]
        raise CommandError(f"{error.code}: {'; '.join(told)}") from error
    except OSError as error:
        raise CommandError(f"Nobody answers at {base_url}: start the service with `make run`.") from error
    return f"Sent {channel} {identifier}. See it at {base_url}/sandbox/"
