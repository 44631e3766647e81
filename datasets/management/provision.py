"""This area's part of `manage.py provision`: data sets and their tokens, declared. Source: Data Set contract §17."""

from collections.abc import Mapping
from typing import Any

from config.console import audit
from config.management.parts import Faults
from datasets import tokens
from datasets.management.declaration import Declared, DeclaredToken, read
from datasets.models import AccessToken, DataGroup, DataSet, DataType

SETTINGS = ("public", "realtime", "auto_ids", "retention_days", "max_records", "expected_every_seconds")


def apply(document: object, faults: Faults) -> object:
    """Make the data sets what the document says, and return it completed.

    Data sets and tokens that are not named stay as they are. The caller holds the transaction and drops everything
    where there is a fault.
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
    group, _ = DataGroup.objects.get_or_create(name=declared.group)
    type, _ = DataType.objects.get_or_create(name=declared.type)
    return DataSet.objects.get_or_create(group=group, type=type)


def _set(data_set: DataSet, settings: Mapping[str, Any], *, is_new: bool) -> None:
    before = {name: getattr(data_set, name) for name in SETTINGS if getattr(data_set, name) != settings[name]}
    after = {name: settings[name] for name in before}
    if before:
        for name, value in after.items():
            setattr(data_set, name, value)
        data_set.save(update_fields=list(after))
    if is_new or before:
        verb = "created" if is_new else "changed"
        _audit(data_set, verb, "dataset", data_set.pk, before=None if is_new else before, after=after)


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
        _audit(data_set, "issued", "accesstoken", token.pk, after={"prefix": token.prefix, "scopes": token.scopes})
    elif token.scopes != [scope for scope in ("write", "read") if scope in wanted.scopes]:
        before = {"scopes": token.scopes}
        token.may_write, token.may_read = "write" in wanted.scopes, "read" in wanted.scopes
        token.save(update_fields=["may_write", "may_read"])
        _audit(data_set, "changed", "accesstoken", token.pk, before=before, after={"scopes": token.scopes})
    if wanted.revoked and tokens.revoke(token):
        _audit(data_set, "revoked", "accesstoken", token.pk, after={"prefix": token.prefix})
    taken.add(token.pk)
    revoked = AccessToken.objects.filter(pk=token.pk, revoked_at__isnull=False).exists()
    shown = {"id": token.pk, "prefix": token.prefix, "scopes": wanted.scopes, "revoked": revoked}
    return shown if secret is None else {**shown, "token": secret}


def _audit(data_set: DataSet, verb: str, kind: str, pk: int, **difference: Any) -> None:
    audit.record(audit.COMMAND, verb, object_kind=kind, object_id=pk, data_set_id=data_set.pk, **difference)
