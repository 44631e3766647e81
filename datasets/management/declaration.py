"""What a document declares about data sets, every fault of it named by its path."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from config.management.parts import Faults
from datasets import tokens
from datasets.models import is_word
from datasets.records import names

_RANGES = {"retention_days": 36_500, "max_records": 1_000_000_000, "expected_every_seconds": 31_536_000}
_KEYS = {"group", "type", "public", "realtime", "auto_ids", "tokens", *_RANGES}
_TOKEN_KEYS = {"scopes", "token", "revoked"}
MAX_AUTO_IDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredToken:
    """path: where it stands in the document; secret: None stands for the n-th token like it."""

    path: str
    scopes: list[str]
    secret: str | None
    revoked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """settings: column → value, only of what was given."""

    group: str
    type: str
    settings: dict[str, Any]
    tokens: list[DeclaredToken]


def read(document: object, faults: Faults) -> list[Declared]:
    """Return what was declared; not to be used where there are faults."""
    if not isinstance(document, list):
        faults.add("data_sets", "must be a list")
        return []
    found: list[Declared] = []
    addresses: set[tuple[str, str]] = set()
    secrets: set[str] = set()
    for index, given in enumerate(document):
        path = f"data_sets[{index}]"
        if not isinstance(given, dict):
            faults.add(path, "must be an object")
            continue
        one = _data_set(given, path, faults)
        if (one.group, one.type) in addresses:
            faults.add(path, f"{one.group}/{one.type} is declared twice")
        addresses.add((one.group, one.type))
        for token in one.tokens:
            if token.secret is not None and token.secret in secrets:
                faults.add(f"{token.path}.token", "is given twice")
            secrets.add(token.secret or "")
        found.append(one)
    return found


def _data_set(given: Mapping[str, Any], path: str, faults: Faults) -> Declared:
    _check_keys(given, _KEYS, path, faults)
    for key in ("group", "type"):
        if key not in given:
            faults.add(f"{path}.{key}", "is required")
        elif not (isinstance(given[key], str) and is_word(given[key])):
            faults.add(f"{path}.{key}", "must be 1 to 60 of a-z 0-9 - _, beginning with a letter or digit")
    settings: dict[str, Any] = {
        key: _boolean(given, key, path, faults) for key in ("public", "realtime") if key in given
    }
    if "auto_ids" in given:
        settings["auto_ids"] = _auto_ids(given["auto_ids"], f"{path}.auto_ids", faults)
    for key, most in _RANGES.items():
        if key in given:
            settings[key] = given[key]
            if settings[key] is not None and not (type(settings[key]) is int and 1 <= settings[key] <= most):
                faults.add(f"{path}.{key}", f"must be a whole number from 1 to {most}, or null")
    return Declared(
        group=str(given.get("group")),
        type=str(given.get("type")),
        settings=settings,
        tokens=_tokens(given.get("tokens", []), f"{path}.tokens", faults),
    )


def _auto_ids(given: object, path: str, faults: Faults) -> list[str] | None:
    if given is None:
        return None
    wanted = f"must be a list of 1 to {MAX_AUTO_IDS} different field names, or null"
    if not (isinstance(given, list) and 1 <= len(given) <= MAX_AUTO_IDS):
        faults.add(path, wanted)
        return None
    for index, name in enumerate(given):
        if not (isinstance(name, str) and (name in names.MOMENTS or names.is_field_name(name))):
            faults.add(f"{path}[{index}]", "is not a field name")
        elif name in given[:index]:
            faults.add(f"{path}[{index}]", "is given twice")
    return given


def _tokens(given: object, path: str, faults: Faults) -> list[DeclaredToken]:
    if not isinstance(given, list):
        faults.add(path, "must be a list")
        return []
    return [_token(one, f"{path}[{index}]", faults) for index, one in enumerate(given)]


def _token(given: object, path: str, faults: Faults) -> DeclaredToken:
    if not isinstance(given, dict):
        faults.add(path, "must be an object")
        return DeclaredToken(path=path, scopes=[], secret=None, revoked=False)
    _check_keys(given, _TOKEN_KEYS, path, faults)
    scopes = given.get("scopes")
    if scopes not in (["write"], ["read"], ["write", "read"], ["read", "write"]):
        faults.add(f"{path}.scopes", "must hold write, read or both, each once" if "scopes" in given else "is required")
        scopes = []
    secret = given.get("token")
    if "token" in given and not (isinstance(secret, str) and tokens.is_well_formed(secret)):
        faults.add(f"{path}.token", "must be 32 to 128 of A-Z a-z 0-9 . _ ~ + / = -")
        secret = None
    return DeclaredToken(path=path, scopes=scopes, secret=secret, revoked=_boolean(given, "revoked", path, faults))


def _boolean(given: Mapping[str, Any], key: str, path: str, faults: Faults) -> bool:
    value = given.get(key, False)
    if not isinstance(value, bool):
        faults.add(f"{path}.{key}", "must be true or false")
        return False
    return value


def _check_keys(given: Mapping[str, Any], known: set[str], path: str, faults: Faults) -> None:
    for key in given:
        if key not in known:
            faults.add(f"{path}.{key}", "is not a known key")
