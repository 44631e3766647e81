"""Web Authentication: the options for the browser, and the checks of its answers, both with the library `webauthn`.

Import this module at the first use only: the library takes 10 MiB in every process.
Source: docs/reference/security.md §5.
"""

from typing import Any

import structlog
import webauthn
from cryptography.exceptions import UnsupportedAlgorithm
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from webauthn.helpers import (
    options_to_json_dict,
    parse_authentication_credential_json,
    parse_registration_credential_json,
)
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from config.accounts.models import Passkey
from config.accounts.origin import RequestOrigin
from config.accounts.passkeys import Credential

_NAME = "Signalbox"
_TIMEOUT_MS = 5 * 60 * 1000  # a hint for the browser
_MAX_ANSWER = 32 * 1024  # characters; an answer with a chain of certificates has about 8,000
_REASON_CHARACTERS = 120
# What the library and its decoders raise for an answer that is not well-formed.
_INVALID = (WebAuthnException, UnsupportedAlgorithm, ValueError, TypeError, LookupError, AttributeError, RecursionError)

log = structlog.get_logger()


class NotAccepted(Exception):
    """The browser's answer proves nothing. user: the account of the passkey, if it is known."""

    def __init__(self, reason: str, user: User | None = None) -> None:
        super().__init__(reason)
        self.user = user
        log.warning("passkey.refused", reason=reason[:_REASON_CHARACTERS], user_id=user.pk if user else None)


def creation_options(
    origin: RequestOrigin, user: User, challenge: bytes, user_handle: bytes, known: list[Passkey]
) -> dict[str, Any]:
    """Return the options for a new passkey. known: those of the account, whose devices refuse to make another one."""
    options = webauthn.generate_registration_options(
        rp_id=origin.host,
        rp_name=_NAME,
        user_id=user_handle,
        user_name=user.get_username(),
        user_display_name=user.get_full_name() or user.get_username(),
        challenge=challenge,
        timeout=_TIMEOUT_MS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.PREFERRED, user_verification=UserVerificationRequirement.PREFERRED
        ),
        exclude_credentials=_descriptors(known),
    )
    return options_to_json_dict(options)


def request_options(origin: RequestOrigin, challenge: bytes, known: list[Passkey], *, is_alone: bool) -> dict[str, Any]:
    """Return the options to use a passkey.

    known: the passkeys that may be used; if there are none, the browser lists those that it has for this host
    is_alone: whether the passkey replaces the password, so that the device must verify the person
    """
    verification = UserVerificationRequirement.REQUIRED if is_alone else UserVerificationRequirement.PREFERRED
    options = webauthn.generate_authentication_options(
        rp_id=origin.host,
        challenge=challenge,
        timeout=_TIMEOUT_MS,
        allow_credentials=_descriptors(known),
        user_verification=verification,
    )
    return options_to_json_dict(options)


def check_new(origin: RequestOrigin, challenge: bytes, answer: str) -> Credential:
    """Return the new key pair of a browser's answer. Raises NotAccepted."""
    try:
        parsed = parse_registration_credential_json(_short(answer))
        verified = webauthn.verify_registration_response(
            credential=parsed, expected_challenge=challenge, expected_rp_id=origin.host, expected_origin=origin.url
        )
    except _INVALID as error:
        raise NotAccepted(str(error)) from error
    return Credential(
        credential_id=verified.credential_id,
        public_key=verified.credential_public_key,
        transports=[transport.value for transport in parsed.response.transports or []],
        sign_count=verified.sign_count,
    )


def prove(origin: RequestOrigin, challenge: bytes, answer: str, *, of: User | None = None, is_alone: bool) -> Passkey:
    """Return the passkey that has signed the challenge, and store its use. Raises NotAccepted.

    of: the account to which the passkey must belong; None to find the account by the passkey
    """
    try:
        parsed = parse_authentication_credential_json(_short(answer))
    except _INVALID as error:
        raise NotAccepted(str(error), of) from error
    passkey: Passkey | None = Passkey.objects.select_related("user").filter(credential_id=parsed.raw_id).first()
    if passkey is None:
        raise NotAccepted("no account has this passkey", of)
    user = passkey.user
    if of is not None and user.pk != of.pk:
        raise NotAccepted("the passkey belongs to another account", of)
    handle = parsed.response.user_handle
    if (handle or of is None) and not constant_time_compare(handle or b"", bytes(passkey.user_handle)):
        raise NotAccepted("the user handle is not the one of the passkey", user)
    try:
        verified = webauthn.verify_authentication_response(
            credential=parsed,
            expected_challenge=challenge,
            expected_rp_id=origin.host,
            expected_origin=origin.url,
            credential_public_key=bytes(passkey.public_key),
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=is_alone,
        )
    except _INVALID as error:
        raise NotAccepted(str(error), user) from error
    if not (user.is_active and user.is_staff):
        raise NotAccepted("the account is not active", user)
    _note_use(passkey, verified.new_sign_count)
    return passkey


def _note_use(passkey: Passkey, sign_count: int) -> None:
    """Store the counter, unless a concurrent request has used the passkey or the passkey was removed."""
    unchanged = Passkey.objects.filter(pk=passkey.pk, sign_count=passkey.sign_count)
    if not unchanged.update(sign_count=sign_count, last_used_at=timezone.now()):
        raise NotAccepted("the passkey was used or removed meanwhile", passkey.user)
    passkey.sign_count = sign_count


def _short(answer: str) -> str:
    if len(answer) > _MAX_ANSWER:
        raise ValueError("the answer is too long")
    return answer


def _descriptors(passkeys: list[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    return [
        PublicKeyCredentialDescriptor(
            id=bytes(one.credential_id), transports=[AuthenticatorTransport(name) for name in one.transports]
        )
        for one in passkeys
    ]
