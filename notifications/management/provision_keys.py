"""API keys and callbacks of a provisioned service. Keys are found by secret, else by name; revoked is for ever."""

import uuid

from django.conf import settings
from django.utils import timezone

from notifications.management.changes import Changes
from notifications.management.declarations import ApiKeyDeclaration, CallbackDeclaration, ServiceDeclaration
from notifications.management.existing import Existing
from notifications.models import ApiKey, CallbackEndpoint, Service
from notifications.validation.keys import check_key_name_is_new


def provision_api_keys(service: Service, declaration: ServiceDeclaration, existing: Existing, changes: Changes) -> None:
    keys = existing.api_keys.of(service)
    secrets = {key.secret: key for key in keys} if any(one.secret for one in declaration.api_keys) else {}
    seen: set[uuid.UUID] = set()
    for declared in declaration.api_keys:
        key = secrets.get(declared.secret) if declared.secret else _by_name(keys, declared.name)
        if key is not None and key.id in seen:
            declared.entry.refuse("secret" if declared.secret else "name", "is given twice")
            continue
        if not _fits(declared, key, keys):
            continue
        secret = declared.secret
        if key is None:
            secret = secret or str(uuid.uuid4())
            key = _new(service, declared, secret)
            keys.append(key)
            secrets[secret] = key
            changes.add(service, key)
        _update(service, key, declared, changes)
        seen.add(key.id)
        if secret:
            declared.entry.completed["api_key"] = f"{key.name}-{service.id}-{secret}"


def _by_name(keys: list[ApiKey], name: str | None) -> ApiKey | None:
    """Return the unrevoked key of this name, else the newest revoked one."""
    namesakes = [key for key in keys if key.name == name]
    return next((key for key in namesakes if key.revoked_at is None), next(reversed(namesakes), None))


def _fits(declared: ApiKeyDeclaration, key: ApiKey | None, keys: list[ApiKey]) -> bool:
    """Note what keeps the declaration from being stored."""
    faults_before = len(declared.entry.faults.lines)
    if key is None:
        declared.entry.require("name", "type")
    if key is not None and key.revoked_at is not None and declared.revoked is False:
        declared.entry.refuse("revoked", "cannot be undone: make another key")
    stays_unrevoked = not declared.revoked and (key is None or key.revoked_at is None)
    if stays_unrevoked and declared.name is not None:
        active = [one.name for one in keys if one.revoked_at is None and one is not key]
        declared.entry.check("name", check_key_name_is_new, declared.name, active)
    return len(declared.entry.faults.lines) == faults_before


def _new(service: Service, declared: ApiKeyDeclaration, secret: str) -> ApiKey:
    key = ApiKey(
        service=service,
        name=declared.name or "",
        key_type=declared.key_type or "",
        created_by=settings.PROVISION_AUTHOR,
    )
    key.set_secret(secret)
    return key


def _update(service: Service, key: ApiKey, declared: ApiKeyDeclaration, changes: Changes) -> None:
    changes.change(service, key, name=declared.name or key.name, key_type=declared.key_type or key.key_type)
    if declared.revoked and key.revoked_at is None:
        changes.change(service, key, revoked_at=timezone.now(), revoked_by=settings.PROVISION_AUTHOR)


def provision_callbacks(
    service: Service, declaration: ServiceDeclaration, existing: Existing, changes: Changes
) -> None:
    endpoints = {endpoint.kind: endpoint for endpoint in existing.callbacks.of(service)}
    for declared in declaration.callbacks:
        endpoint = endpoints.get(declared.kind)
        if endpoint is None:
            endpoint = CallbackEndpoint(service=service, kind=declared.kind, created_by=settings.PROVISION_AUTHOR)
            endpoint.sealed_bearer_token = endpoint.seal("bearer_token", declared.bearer_token)
            changes.add(service, endpoint)
        changes.change(service, endpoint, url=declared.url)
        _reseal(service, endpoint, declared, changes)


def _reseal(service: Service, endpoint: CallbackEndpoint, declared: CallbackDeclaration, changes: Changes) -> None:
    """Seal what differs. Sealing one value twice gives different bytes, so the opened values are compared."""
    if endpoint.bearer_token != declared.bearer_token:
        changes.change(service, endpoint, sealed_bearer_token=endpoint.seal("bearer_token", declared.bearer_token))
    if declared.signing_secret and endpoint.signing_secret != declared.signing_secret:
        replaced = CallbackEndpoint(pk=endpoint.pk, sealed_signing_secret=endpoint.sealed_signing_secret)
        replaced.replace_signing_secret(declared.signing_secret, timezone.now())
        columns = ("sealed_signing_secret", "sealed_old_signing_secret", "old_signing_secret_until")
        changes.change(service, endpoint, **{column: getattr(replaced, column) for column in columns})
