"""This area's part of `manage.py provision`: data sets and their tokens, declared."""

from collections.abc import Mapping
from typing import Any

from django.db import models

from config.console import audit, changes, titles
from config.management.parts import Faults
from datasets import tokens
from datasets.management.declaration import Declared, DeclaredToken, read
from datasets.models import AccessToken, DataGroup, DataSet, DataType


def apply(document: object, faults: Faults) -> object:
    """Make the data sets what the document says, and return it completed.

    Data sets and tokens that are not named, and settings that are left out, stay as they are. The caller holds the
    transaction and drops everything where there is a fault.
    """
    declared = read(document, faults)
    _check_tokens_of_others(declared, faults)
    if faults.lines or not isinstance(document, list):
        return document
    return [_apply_one(one, given) for one, given in zip(declared, document, strict=True)]


def _check_tokens_of_others(declared: list[Declared], faults: Faults) -> None:
    digests = {
        tokens.digest(token.secret): (one, token)
        for one in declared
        for token in one.tokens
        if token.secret is not None
    }
    for known in AccessToken.objects.filter(digest__in=digests).select_related("data_set__group", "data_set__type"):
        one, token = digests[known.digest]
        if (known.data_set.group.name, known.data_set.type.name) != (one.group, one.type):
            faults.add(f"{token.path}.token", "belongs to another data set")


def _apply_one(declared: Declared, given: Mapping[str, Any]) -> dict[str, Any]:
    data_set, is_new = _data_set(declared)
    _set(data_set, declared.settings, is_new=is_new)
    wanted = declared.tokens
    if is_new and not wanted:
        wanted = [DeclaredToken(path="", scopes=["write"], secret=None, revoked=False)]
    taken: set[int] = set()
    shown = [_token(data_set, token, taken) for token in wanted]
    return {**given, "id": data_set.pk, "name": data_set.name, "tokens": shown}


def _data_set(declared: Declared) -> tuple[DataSet, bool]:
    group, is_new_group = DataGroup.objects.get_or_create(name=declared.group)
    type, is_new_type = DataType.objects.get_or_create(name=declared.type)
    for word, is_new in ((group, is_new_group), (type, is_new_type)):
        if is_new:
            audit_row("created", word, after=changes.snapshot(word))
    return DataSet.objects.get_or_create(group=group, type=type)


def _set(data_set: DataSet, settings: Mapping[str, Any], *, is_new: bool) -> None:
    stored = changes.snapshot(data_set)
    for name, value in settings.items():
        setattr(data_set, name, value)
    before, after = changes.difference(stored, changes.snapshot(data_set))
    if after:
        data_set.save(update_fields=list(after))
    if is_new:
        audit_row("created", data_set, data_set, after=changes.snapshot(data_set))
    elif after:
        audit_row("changed", data_set, data_set, before=before, after=after)


def _token(data_set: DataSet, wanted: DeclaredToken, taken: set[int]) -> dict[str, Any]:
    """Find or make one token; `taken` are those an earlier entry stands for."""
    own = AccessToken.objects.filter(data_set=data_set)
    if wanted.secret is not None:
        token = own.filter(digest=tokens.digest(wanted.secret)).first()
    else:
        alike = own.filter(
            may_write="write" in wanted.scopes, may_read="read" in wanted.scopes, revoked_at__isnull=not wanted.revoked
        )
        token = alike.exclude(pk__in=taken).order_by("id").first()
    secret = wanted.secret
    if token is None:
        token, secret = tokens.issue(data_set, wanted.scopes, secret=wanted.secret)
        audit_row("issued", token, data_set, after={"scopes": token.scopes})
    elif token.scopes != [scope for scope in ("write", "read") if scope in wanted.scopes]:
        before = {"scopes": token.scopes}
        token.may_write, token.may_read = "write" in wanted.scopes, "read" in wanted.scopes
        token.save(update_fields=["may_write", "may_read"])
        audit_row("changed", token, data_set, before=before, after={"scopes": token.scopes})
    if wanted.revoked and tokens.revoke(token):
        audit_row("revoked", token, data_set, before={"scopes": token.scopes})
    taken.add(token.pk)
    revoked = AccessToken.objects.filter(pk=token.pk, revoked_at__isnull=False).exists()
    shown = {"id": token.pk, "prefix": token.prefix, "scopes": wanted.scopes, "revoked": revoked}
    return shown if secret is None else {**shown, "token": secret}


def audit_row(verb: str, row: models.Model, data_set: DataSet | None = None, **difference: Any) -> None:
    """Write what a command did to a row into the audit."""
    audit.record(
        audit.operator(),
        verb,
        object_kind=row._meta.model_name or "",
        object_id=row.pk,
        label=titles.masked(row),
        data_set_id=data_set.pk if data_set else None,
        **difference,
    )
