"""`manage.py try email` and `try sms`: send one message to the running service over HTTP, like any caller.

Source: docs/reference/running.md §2, §12.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping

import jwt
from django.core.management import CommandError

from config.rest.handler import HELPFUL

SECRET_LENGTH = 36  # a key ends with the service's id, a hyphen and the secret


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
    """Send and return the line to print. Raises CommandError with the error of the service."""
    service_id, secret = key[-2 * SECRET_LENGTH - 1 : -SECRET_LENGTH - 1], key[-SECRET_LENGTH:]
    token = jwt.encode({"iss": service_id, "iat": int(time.time())}, secret, algorithm="HS256")
    request = urllib.request.Request(  # noqa: S310  the operator chose the URL
        f"{base_url}/v2/notifications/{channel}",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Accept": HELPFUL},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            identifier = json.load(answer)["id"]
    except urllib.error.HTTPError as error:
        errors = [f"{entry['message']} ({entry.get('fix', '')})" for entry in json.load(error)["errors"]]
        raise CommandError(f"{error.code}: {'; '.join(errors)}") from error
    except OSError as error:
        raise CommandError(f"Nothing responds at {base_url}. Start it with `make run`.") from error
    return f"Sent {channel} {identifier}. See it at {base_url}/sandbox/"
