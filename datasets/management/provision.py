"""Apply the data sets and tokens of a `manage.py provision` document."""

import json
from collections.abc import Mapping
from typing import Any

from config import audit
from config.areas import DocumentErrors
from config.audit import changes
from config.invalid import InvalidValue
from config.management.declarations import Declaration, DeclaredRow, Texts, Value, one_of, read
from datasets import tokens, validation
from datasets.management import provision_alarms, provision_imports, saved_queries
from datasets.management.provision_alarms import AlarmDeclaration
from datasets.management.provision_imports import ImportSettingsDeclaration
from datasets.management.saved_queries import SavedQueryDeclaration
from datasets.models import AccessToken, DataGroup, DataSet, DataType
from datasets.records.schemas.documents import parse_schema
from datasets.store import schemas


class TokenDeclaration(Declaration):
    """An access token. Without `token`, the n-th of several equal entries matches the n-th such token."""

    scopes = Texts(rule=validation.check_scopes, required=True)
    token = Value(str, validation.check_secret)
    revoked = Value(bool)


class DataSetDeclaration(Declaration):
    """A data set. A null sets a setting to its default."""

    group = Value(str, validation.parse_group_name, required=True)
    type = Value(str, validation.parse_path_part, required=True)
    public = Value(bool)
    realtime = Value(bool)
    personal = Value(bool)
    auto_ids = Texts(rule=validation.check_auto_ids, allow_null=True)
    retention_days = Value(int, validation.check_retention_days, allow_null=True)
    max_records = Value(int, validation.check_max_records, allow_null=True)
    expected_every_seconds = Value(int, validation.check_expected_every, allow_null=True)
    schema = Value(dict, parse_schema, allow_null=True)
    schema_mode = Value(str, one_of(DataSet.SchemaMode.values), allow_null=True)
    description = Value(str, validation.parse_description)
    licence = Value(str, validation.check_licence)
    contact = Value(str, validation.parse_contact)
    units = Value(dict, validation.check_units, allow_null=True)
    tokens = TokenDeclaration(many=True, required=False)
    saved_queries = SavedQueryDeclaration(many=True, required=False)
    alarms = AlarmDeclaration(many=True, required=False)
    import_settings = ImportSettingsDeclaration(many=True, required=False)


def apply(document: object, errors: DocumentErrors) -> object:
    """Create or update the declared data sets and return the completed document.

    Other data sets, tokens and settings do not change. The caller opens the transaction and rolls it back on errors.
    """
    declared = read(document, "data_sets", DataSetDeclaration(), errors)
    _check_duplicates(declared)
    _check_tokens_of_others(declared)
    for entry in declared:
        provision_alarms.check(entry.entries("alarms"))
    if errors.lines:
        return document
    for entry in declared:
        _apply_one(entry)
    for entry in declared if not errors.lines else ():
        saved_queries.bind(DataSet.objects.at(*_path(entry).split("/")).get(), entry.entries("saved_queries"))
    return [entry.completed for entry in declared]


def _check_duplicates(declared: list[DeclaredRow]) -> None:
    paths: set[str] = set()
    secrets: set[str] = set()
    for entry in declared:
        if _path(entry) in paths:
            entry.refuse("", f"{_path(entry)} is declared twice")
        paths.add(_path(entry))
        for token in entry.entries("tokens"):
            secret = token.values.get("token")
            if secret in secrets:
                token.refuse("token", "is given twice")
            secrets |= {secret} if secret else set()


def _check_tokens_of_others(declared: list[DeclaredRow]) -> None:
    given = {
        tokens.hash_secret(token.values["token"]): (entry, token)
        for entry in declared
        for token in entry.entries("tokens")
        if "token" in token.values
    }
    for known in AccessToken.objects.filter(token_hash__in=given).select_related("data_set__group", "data_set__type"):
        entry, token = given[known.token_hash]
        if str(known.data_set) != _path(entry):
            token.refuse("token", "belongs to another data set")


def _path(entry: DeclaredRow) -> str:
    return f"{entry.values['group']}/{entry.values['type']}"


def _apply_one(entry: DeclaredRow) -> None:
    names = ("group", "type", "tokens", "saved_queries", "alarms", "import_settings", "schema", "schema_mode")
    data_set, is_new = _data_set(entry.values)
    _set(data_set, {name: value for name, value in entry.values.items() if name not in names}, is_new=is_new)
    _set_schema(data_set, entry)
    declared = entry.entries("tokens")
    if is_new and not declared:
        declared = [DeclaredRow(entry.path, {"scopes": ["write"]}, {"scopes": ["write"]}, entry.errors)]
    taken: set[int] = set()
    for token in declared:
        _token(data_set, token, taken)
    saved_queries.apply(data_set, entry.entries("saved_queries"))
    provision_alarms.apply(data_set, entry.entries("alarms"))
    provision_imports.apply(data_set, entry.entries("import_settings"))
    entry.completed |= {"id": data_set.pk, "name": data_set.name, "tokens": [token.completed for token in declared]}


def _data_set(values: Mapping[str, Any]) -> tuple[DataSet, bool]:
    group, is_new_group = DataGroup.objects.get_or_create(name=values["group"])
    type, is_new_type = DataType.objects.get_or_create(name=values["type"])
    for word, is_new in ((group, is_new_group), (type, is_new_type)):
        if is_new:
            audit.record(audit.operator(), "created", word, after=changes.snapshot(word))
    return DataSet.objects.get_or_create(group=group, type=type)


def _set(data_set: DataSet, settings: Mapping[str, Any], *, is_new: bool) -> None:
    stored = changes.snapshot(data_set)
    for name, value in settings.items():
        setattr(data_set, name, value)
    before, after = changes.difference(stored, changes.snapshot(data_set))
    if after:
        data_set.save(update_fields=list(after))
    if is_new:
        audit.record(audit.operator(), "created", data_set, after=changes.snapshot(data_set))
    elif after:
        audit.record(audit.operator(), "changed", data_set, before=before, after=after)


def _set_schema(data_set: DataSet, entry: DeclaredRow) -> None:
    """Give the declared schema and mode. A schema of null means the learned one."""
    if not {"schema", "schema_mode"} & entry.values.keys():
        return
    row = schemas.current(data_set)
    stored = json.loads(row.given) if row.given else None
    try:
        schemas.set_schema(
            data_set,
            entry.values.get("schema", stored),
            entry.values.get("schema_mode", data_set.schema_mode) or DataSet.SchemaMode.OFF,
            by=audit.operator(),
        )
    except InvalidValue as error:
        entry.refuse("schema_mode", str(error))


def _token(data_set: DataSet, declared: DeclaredRow, taken: set[int]) -> None:
    """Find or issue the token of one entry. taken: the ids of tokens that belong to earlier entries."""
    secret, scopes = declared.values.get("token"), declared.values["scopes"]
    revoked = declared.values.get("revoked", False)
    may = {"may_write": "write" in scopes, "may_read": "read" in scopes}
    own = AccessToken.objects.filter(data_set=data_set).exclude(pk__in=taken).order_by("id")
    wanted = (
        {**may, "revoked_at__isnull": not revoked, "services__isnull": True}
        if secret is None
        else {"token_hash": tokens.hash_secret(secret)}
    )
    token = own.filter(**wanted).first()
    if token is None:
        token, secret = tokens.issue(data_set, scopes, secret=secret)
        audit.record(audit.operator(), "issued", token, after={"scopes": token.scopes})
    elif set(token.scopes) != set(scopes):
        before = {"scopes": token.scopes}
        token.may_write, token.may_read = may["may_write"], may["may_read"]
        token.save(update_fields=list(may))
        audit.record(audit.operator(), "changed", token, before=before, after={"scopes": token.scopes})
    if revoked and tokens.revoke(token):
        audit.record(audit.operator(), "revoked", token, before={"scopes": token.scopes})
    taken.add(token.pk)
    token.refresh_from_db(fields=["revoked_at"])
    declared.completed |= {"id": token.pk, "prefix": token.prefix, "revoked": token.revoked_at is not None}
    if secret is not None:
        declared.completed["token"] = secret
