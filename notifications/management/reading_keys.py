"""Read the API keys and callbacks of a provision document."""

from config.management.document import Entry
from config.outbound import UnsafeUrl, check_url
from notifications.management.declarations import ApiKeyDeclaration, CallbackDeclaration
from notifications.management.stored import Stored
from notifications.models import CallbackKind, KeyType
from notifications.validation import keys


def read_api_key(entry: Entry, stored: Stored) -> ApiKeyDeclaration:
    name, secret = entry.text("name"), entry.identifier("secret")
    if name is not None:
        entry.check("name", keys.check_key_name, name)
    if secret is not None:
        entry.check("secret", keys.check_part_of_key, secret, unless=lambda: stored.secret(secret))
    key_type, revoked = entry.choice("type", KeyType.values), entry.flag("revoked")
    entry.close()
    if secret is None:
        entry.require("name")
    return ApiKeyDeclaration(
        entry=entry,
        name=name,
        key_type=KeyType(key_type) if key_type else None,
        secret=str(secret) if secret else None,
        revoked=revoked,
    )


def read_callbacks(callbacks: Entry | None) -> list[CallbackDeclaration]:
    return [found for kind in CallbackKind if callbacks and (found := _callback(callbacks, kind))]


def _callback(callbacks: Entry, kind: CallbackKind) -> CallbackDeclaration | None:
    entry = callbacks.entry(kind.value)
    if entry is None:
        return None
    url, token, signing_secret = entry.text("url"), entry.text("bearer_token"), entry.text("signing_secret")
    entry.require("url", "bearer_token")
    entry.close()
    if url is not None:
        try:
            check_url(url)
        except UnsafeUrl as error:
            entry.refuse("url", str(error))
    if token is not None:
        entry.check("bearer_token", keys.check_bearer_token, token)
    if signing_secret is not None:
        entry.check("signing_secret", keys.check_signing_secret, signing_secret)
    if url is None or token is None:
        return None
    return CallbackDeclaration(kind=kind, url=url, bearer_token=token, signing_secret=signing_secret)
