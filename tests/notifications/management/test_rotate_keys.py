"""After `rotate_keys` the new key alone decrypts every secret."""

import json

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.utils import timezone

from config import encryption
from notifications.models import CallbackEndpoint, CallbackKind, SandboxMessage
from tests.factories import make_api_key, make_notification, make_service
from tests.notifications.draining import drain_messages

pytestmark = pytest.mark.django_db


def make_callback(signing_secret: str | None) -> CallbackEndpoint:
    endpoint = CallbackEndpoint(
        service=make_service(), kind=CallbackKind.DELIVERY_STATUS, url="https://hooks.example.org/"
    )
    endpoint.encrypted_bearer_token = endpoint.encrypt("bearer_token", "a-bearer-token")
    endpoint.encrypted_signing_secret = endpoint.encrypt("signing_secret", signing_secret) if signing_secret else None
    endpoint.save()
    return endpoint


def test_the_newest_key_decrypts_every_cell(settings):
    key = make_api_key(secret="3e22332c-b5e9-4a44-acc0-f45b0aac84c2")
    signed, unsigned = make_callback("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), make_callback(None)
    now = timezone.now()
    signed.replace_signing_secret("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", now)
    signed.save()
    make_notification(body="Dear Ana")
    drain_messages()
    newest = Fernet.generate_key().decode()
    settings.FIELD_KEYS = [newest, *settings.FIELD_KEYS]

    call_command("rotate_keys")

    settings.FIELD_KEYS = [newest]
    for row in (key, signed, unsigned):
        row.refresh_from_db()
    assert key.secret == "3e22332c-b5e9-4a44-acc0-f45b0aac84c2"
    assert signed.bearer_token == "a-bearer-token"
    assert signed.signing_secrets(now) == [
        "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ]
    assert (unsigned.bearer_token, unsigned.signing_secret) == ("a-bearer-token", None)
    assert "Dear Ana" in SandboxMessage.objects.get().content.text


def test_an_encrypted_value_can_be_decrypted_in_its_own_row_only():
    first, second = make_api_key(), make_api_key()
    second.encrypted_secret = first.encrypted_secret

    with pytest.raises(encryption.DecryptionFailed):
        assert second.secret


def test_the_doctor_names_the_providers(capsys):
    with pytest.raises(SystemExit):
        call_command("doctor", "--json")

    findings = {finding["name"]: finding["seen"] for finding in json.loads(capsys.readouterr().out)}
    assert findings["providers"] == "sandbox (nothing leaves this machine)"
