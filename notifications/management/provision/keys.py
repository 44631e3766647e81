"""Provision API keys and callbacks. Revoked keys stay revoked.

A key is identified by its secret, else by its name; a callback by its name, or by its format if it has no name.
"""

import uuid
from typing import Any

from django.conf import settings
from django.utils import timezone

from config import data_sets
from config.invalid import InvalidValue
from config.management.declarations import DeclaredRow
from notifications.management.provision.sync import Rows, Sync, by
from notifications.models import ApiKey, CallbackEndpoint, CallbackKind, KeyType
from notifications.models.callback_event import OF_DATA_SETS, parse_data_sets, parse_events
from notifications.validation.keys import check_key_name_is_new


def provision_api_keys(sync: Sync, declared: DeclaredRow) -> None:
    entries = declared.entries("api_keys")
    stored = sync.stored.of(ApiKey, sync.service) if any("secret" in entry.values for entry in entries) else []
    secrets = {key.pk: key.secret for key in stored}

    def by_secret_or_name(entry: DeclaredRow, known: Rows) -> Any:
        """Return the key with the secret, else the unrevoked key with the name, else the newest revoked key with it."""
        if "secret" in entry.values:
            return next((key for key in known if secrets.get(key.pk) == entry.values["secret"]), None)
        namesakes = [key for key in known if key.name == entry.values.get("name")]
        return next((key for key in namesakes if key.revoked_at is None), next(reversed(namesakes), None))

    given: set[str] = set()
    for entry in entries:
        if entry.values.get("secret") in given:
            entry.refuse("secret", "is given twice")
        given |= {entry.values["secret"]} if "secret" in entry.values else set()
    for entry, key in sync.sync(ApiKey, entries, by_secret_or_name, check=_check, blamed=("secret", "name")):
        secret = entry.values.get("secret")
        if key._state.adding:
            secret = secret or str(uuid.uuid4())
            key.set_secret(secret)
        sync.changes.change(key, key_type=entry.values.get("type", key.key_type))
        if entry.values.get("revoked") and key.revoked_at is None:
            sync.changes.change(key, revoked_at=timezone.now(), revoked_by=settings.PROVISION_AUTHOR)
        if secret:
            entry.completed["api_key"] = f"{key.name}-{sync.service.pk}-{secret}"


def _check(entry: DeclaredRow, key: ApiKey | None, others: Rows) -> None:
    """Add the errors that prevent storing the entry."""
    name, revoked = entry.values.get("name"), entry.values.get("revoked")
    if key is None:
        entry.require("name", "type")
    elif key.revoked_at is not None and revoked is False:
        entry.refuse("revoked", "cannot be undone: create another key")
    if entry.values.get("daily_limit") and entry.values.get("type", key.key_type if key else "") == KeyType.TEST:
        entry.refuse("daily_limit", "is not for test keys: their messages are not counted")
    stays_unrevoked = not revoked and (key is None or key.revoked_at is None)
    if stays_unrevoked and name is not None:
        entry.check("name", check_key_name_is_new, name, [one.name for one in others if one.revoked_at is None])


def provision_callbacks(sync: Sync, declared: DeclaredRow) -> None:
    given = dict(declared.values.get("callbacks", {}))
    path = f"{declared.path}.callbacks"
    named = [
        DeclaredRow(f"{path}.endpoints[{number}]", {"kind": CallbackKind.EVENTS.value, **values}, {}, declared.errors)
        for number, values in enumerate(given.pop("endpoints", ()))
    ]
    names = {entry.values.get("name") for entry in named}
    of_formats = [
        DeclaredRow(f"{path}.{kind}", {"kind": kind, **values}, {}, declared.errors) for kind, values in given.items()
    ]

    def by_kind(entry: DeclaredRow, known: Rows) -> Any:
        """Return the first endpoint of the format, one without a name before those with a name."""
        same = [one for one in known if one.kind == entry.values["kind"] and one.name not in names]
        return min(same, key=lambda one: one.name != "", default=None)

    for entry, endpoint in [
        *sync.sync(CallbackEndpoint, of_formats, by_kind),
        *sync.sync(CallbackEndpoint, named, by("name"), check=_check_callback, blamed=("name",)),
    ]:
        _replace_secrets(sync, endpoint, entry.values["bearer_token"], entry.values.get("signing_secret"))


def _check_callback(entry: DeclaredRow, endpoint: CallbackEndpoint | None, others: Rows) -> None:
    """Add the errors that prevent storing the entry, and replace its events by those to store."""
    kind = entry.values["kind"]
    if endpoint is not None and endpoint.kind != kind:
        entry.refuse("format", f"cannot be changed from {endpoint.kind}: use another name")
        return
    stored = endpoint.chosen_events if endpoint else ()
    try:
        entry.values["events"] = parse_events(CallbackKind(kind), entry.values.get("events", stored))
    except InvalidValue as error:
        entry.refuse("events", str(error))
        return
    _check_data_sets(entry, endpoint)


def _check_data_sets(entry: DeclaredRow, endpoint: CallbackEndpoint | None) -> None:
    """Replace the paths of data sets by ids. Without the key, an endpoint keeps its data sets while it needs any."""
    events, paths = entry.values["events"], entry.values.get("data_sets")
    if paths is None:
        needs_some = not set(OF_DATA_SETS).isdisjoint(events)
        found = endpoint.data_sets if endpoint is not None and needs_some else []
    else:
        ids = data_sets.ids(paths)
        for path in paths:
            if path not in ids:
                entry.refuse("data_sets", f"{path} is not a data set")
        if len(ids) < len(set(paths)):
            return
        found = list(ids.values())
    try:
        entry.values["data_sets"] = parse_data_sets(events, found)
    except InvalidValue as error:
        entry.refuse("data_sets", str(error))


def _replace_secrets(sync: Sync, endpoint: CallbackEndpoint, bearer_token: str, signing_secret: str | None) -> None:
    """Encrypt the secrets that differ. Decrypted values are compared, because each encryption gives different bytes."""
    if endpoint._state.adding or endpoint.bearer_token != bearer_token:
        sync.changes.change(endpoint, encrypted_bearer_token=endpoint.encrypt("bearer_token", bearer_token))
    if signing_secret and endpoint.signing_secret != signing_secret:
        replaced = CallbackEndpoint(pk=endpoint.pk, encrypted_signing_secret=endpoint.encrypted_signing_secret)
        replaced.replace_signing_secret(signing_secret, timezone.now())
        columns = ("encrypted_signing_secret", "encrypted_old_signing_secret", "old_signing_secret_until")
        sync.changes.change(endpoint, **{column: getattr(replaced, column) for column in columns})
