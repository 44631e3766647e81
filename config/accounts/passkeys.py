"""The passkeys of an account: add, rename and remove them. `relying_party` checks what browsers send.

Source: docs/reference/security.md §5; docs/reference/console.md §3.12.
"""

import secrets
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from config.accounts import second_factor
from config.accounts.models import Passkey, RecoveryCode

MAX_PASSKEYS = 10  # of one account
NAME_CHARACTERS = 64
_HANDLE_BYTES = 32  # Web Authentication allows 64


class TooManyPasskeys(Exception):
    """The account has MAX_PASSKEYS."""


class AlreadyAdded(Exception):
    """An account has this passkey already."""


class LastSecondFactor(Exception):
    """The passkey is the only second factor of the account, which needs one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """A new key pair, whose checks have passed. Its fields are those of Passkey."""

    credential_id: bytes
    public_key: bytes
    transports: list[str]
    sign_count: int


def of_account(user: User) -> QuerySet[Passkey]:
    """Return the account's passkeys, the oldest first."""
    return Passkey.objects.filter(user_id=user.pk).order_by("created_at", "pk")


def user_handle_of(user: User) -> bytes:
    """Return the random bytes by which devices know the account. They tell nothing about the person."""
    known = of_account(user).first()
    return bytes(known.user_handle) if known else secrets.token_bytes(_HANDLE_BYTES)


def add(user: User, credential: Credential, *, name: str, user_handle: bytes) -> Passkey:
    """Store a new passkey. Raises TooManyPasskeys or AlreadyAdded."""
    with transaction.atomic():
        _lock(user)
        if of_account(user).count() >= MAX_PASSKEYS:
            raise TooManyPasskeys
        try:
            with transaction.atomic():
                passkey: Passkey = Passkey.objects.create(
                    user=user,
                    name=name,
                    user_handle=user_handle,
                    credential_id=credential.credential_id,
                    public_key=credential.public_key,
                    transports=credential.transports,
                    sign_count=credential.sign_count,
                )
        except IntegrityError as error:
            raise AlreadyAdded from error
    return passkey


def is_last_factor(user: User) -> bool:
    """Return whether the account may not lose one more passkey, because it is the only second factor."""
    return second_factor.is_demanded() and second_factor.device_of(user) is None and of_account(user).count() <= 1


def remove(passkey: Passkey) -> None:
    """Remove a passkey, and the recovery codes if no second factor is left. Raises LastSecondFactor."""
    with transaction.atomic():
        user = _lock(passkey.user)
        if is_last_factor(user):
            raise LastSecondFactor
        passkey.delete()
        _forget_useless_codes(user)


def remove_all(user: User) -> int:
    """Remove all passkeys of an account and return their number, even if no second factor is left."""
    with transaction.atomic():
        _lock(user)
        gone, _ = of_account(user).delete()
        _forget_useless_codes(user)
    return gone


def _forget_useless_codes(user: User) -> None:
    if second_factor.of_account(user) is None:
        RecoveryCode.objects.filter(user_id=user.pk).delete()


def _lock(user: User) -> User:
    """Lock the account's row, so that concurrent requests count its passkeys one after another."""
    return User.objects.select_for_update().get(pk=user.pk)
