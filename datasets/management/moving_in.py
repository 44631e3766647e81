"""The list of data sets of the 2018 data store, as entries of a provision document.

Source: docs/reference/moving-in.md §2.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.invalid import InvalidValue
from config.rest import strict_json
from datasets import tokens
from datasets.models import AccessToken, DataSet

LIST = "data-sets.json"
_CARRIED = {"realtime": "realtime", "auto_ids": "auto_ids", "max_age_expected": "expected_every_seconds"}
_READ = frozenset({"name", "data_group", "data_type", "bearer_token", "queryable", "raw_queries_allowed", "published"})
_HAS_NO_MEANING = frozenset({"id", "created", "modified", "schema"})
_NAMES = frozenset({*_CARRIED, *_READ, *_HAS_NO_MEANING})

Json = dict[str, Any]  # Any: JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerDataSet:
    """A data set of the list.

    entry: of the provision document; file: its records, or None; notes: what a person must know
    """

    path: str
    entry: Json
    file: Path | None
    notes: list[str]


def read(folder: Path) -> list[FormerDataSet]:
    """Return the data sets of a dump. Raises InvalidValue with a sentence for the person."""
    try:
        found = strict_json.loads((folder / LIST).read_bytes(), skip_mark=True, storable=True)
    except FileNotFoundError:
        raise InvalidValue(f"There is no file {folder / LIST}. It is the list of data sets.") from None
    except (OSError, strict_json.UnreadableJSON) as error:
        raise InvalidValue(f"{folder / LIST} cannot be read as JSON.") from error
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InvalidValue(f"{LIST} must be a list of objects.")
    return [_former(folder, index, one) for index, one in enumerate(found)]


def _former(folder: Path, index: int, given: Json) -> FormerDataSet:
    for key in ("data_group", "data_type"):
        if not isinstance(given.get(key), str):
            raise InvalidValue(f"{LIST}: entry {index + 1} has no {key}.")
    group, type = given["data_group"], given["data_type"]
    notes = [*_notes(given)]
    file = _file(folder, str(given.get("name") or f"{group}_{type}".replace("-", "_")))
    if file is None:
        notes.append("the folder has no file with its records")
    entry = {"group": group, "type": type, "tokens": _tokens(given)}
    if not DataSet.objects.at(group, type).exists():  # what staff have changed since stays
        entry |= _settings(given)
    return FormerDataSet(path=f"{group}/{type}", entry=entry, file=file, notes=notes)


def _settings(given: Mapping[str, Any]) -> Json:
    carried = {own: given[name] for name, own in _CARRIED.items() if given.get(name) not in (None, [])}
    return {**carried, "public": _is_public(given)}


def _is_public(given: Mapping[str, Any]) -> bool:
    """Return whether anybody could read all records, and the data set was published."""
    return all(given.get(name) is True for name in ("queryable", "raw_queries_allowed", "published"))


def _tokens(given: Mapping[str, Any]) -> list[Json]:
    """Return the token of the writers, unless it is known: it may have been revoked or changed since."""
    secret = given.get("bearer_token")
    if not secret or AccessToken.objects.filter(token_hash=tokens.hash_secret(str(secret))).exists():
        return []
    return [{"scopes": ["write"], "token": secret}]


def _notes(given: Mapping[str, Any]) -> Iterator[str]:
    if not _is_public(given):
        yield "not public: its readers need a token with scope read"
    if not given.get("bearer_token"):
        yield "it had no token"
    lost = sorted(name for name in given.keys() - _NAMES if given[name] not in (None, "", [], {}))
    if lost:
        yield f"not carried over: {', '.join(lost)}"


def _file(folder: Path, name: str) -> Path | None:
    """Return the file of a collection. The name comes from the list, so it must not lead out of the folder."""
    if Path(name).name != name:
        raise InvalidValue(f"{LIST}: {name!r} is not a name of a collection.")
    found = (folder / f"{name}{ending}" for ending in (".json", ".json.gz"))
    return next((path for path in found if path.is_file()), None)
