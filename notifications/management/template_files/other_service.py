"""Read the templates of another service through its v2 API: of GOV.UK Notify, or of another Signalbox.

Source: docs/reference/template-files.md §4.
"""

import base64
import json
import re
import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import jwt

from config.outbound import http_client
from config.outbound.http_client import CallFailed
from config.outbound.targets import UnsafeUrl
from config.rest.strict_json import is_storable_text
from notifications.management.template_files.plan import Wanted
from notifications.template_definitions.definition import EMAIL, FIELDS, SMS, Definition, FixedFile, fits

SECONDS = 60.0
MAX_BYTES = 64 * 1024 * 1024
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_KEY = re.compile(rf"(?:.*-)?(?P<service>{_UUID})-(?P<secret>{_UUID})", re.IGNORECASE)
_OF_READS = frozenset({"id", "name", "type", "subject"})  # the record of every v2 service has these and `body`
_FILES = "files"
NOT_SHOWN = frozenset(field.name for field in FIELDS) - _OF_READS


class ReadFailed(Exception):
    """The templates cannot be read. The message states the reason, without the key."""


class OtherService:
    """A service that can be read with one API key."""

    def __init__(self, url: str, key: str) -> None:
        match = _KEY.fullmatch(key.strip())
        if match is None:
            raise ReadFailed("The key is not complete. It has the form name-service id-secret.")
        self._url = url.rstrip("/")
        self._service, self._secret = match["service"], match["secret"]

    def templates(self) -> tuple[list[Wanted], Sequence[str]]:
        """Return the templates in use, and the names of those that are neither emails nor text messages.

        Raises ReadFailed.
        """
        status, answer = self._get("/v2/templates")
        if status != 200:
            raise ReadFailed(f"The service answered {status}: {_reason(answer)}")
        rows = answer.get("templates") if isinstance(answer, dict) else None
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ReadFailed("The response is not a list of templates.")
        taken = [row for row in rows if row.get("type") in (EMAIL, SMS)]
        skipped = [str(row.get("name")) for row in rows if row.get("type") not in (EMAIL, SMS)]
        shows_all = bool(taken) and self._shown(taken[0]) is not None
        return [self._wanted(row, shows_all=shows_all) for row in taken], skipped

    def _wanted(self, row: dict[str, Any], *, shows_all: bool) -> Wanted:
        is_email = row["type"] == EMAIL
        try:
            texts = {"name": row["name"], "content": row["body"], **({"subject": row["subject"]} if is_email else {})}
            identifier = UUID(row["id"])
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise ReadFailed("A template of the response lacks an id, a name or a text.") from error
        if not all(isinstance(text, str) and is_storable_text(text) for text in texts.values()):
            raise ReadFailed(f"Template {identifier} has a text that cannot be stored.")
        further = self._further(row) if shows_all else None
        definition = Definition(id=identifier, type=row["type"], **texts, **(further or {}))
        return Wanted(label=texts["name"], definition=definition, unknown=NOT_SHOWN - (further or {}).keys())

    def _further(self, row: dict[str, Any]) -> dict[str, Any] | None:
        """Return the fields that only a Signalbox shows, and only to keys that manage templates.

        Earlier versions of Signalbox do not show fixed files.
        """
        answer = self._shown(row)
        if answer is None:
            return None
        found = {name: answer.get(name) for name in NOT_SHOWN - {_FILES}}
        if isinstance(further := found["translations"], list):
            found["translations"] = [
                {**{name: text for name, text in one.items() if name != "body"}, "content": one.get("body")}
                for one in further
                if isinstance(one, dict)
            ]
        if not all(fits(name, value) for name, value in found.items()):
            return None
        if isinstance(files := answer.get(_FILES), dict):
            found[_FILES] = {name: self._file(row["id"], name, listed) for name, listed in files.items()}
        return found

    def _file(self, template_id: str, name: str, listed: Any) -> FixedFile:
        """Return a fixed file with its content. Raises ReadFailed."""
        try:
            status, answer = self._get(f"/v2/templates/{template_id}/files/{UUID(listed['id'])}")
            if status == 200 and fits(_FILES, {name: answer}):
                return FixedFile(data=base64.b64decode(answer.pop("file"), validate=True), **answer)
        except (ValueError, TypeError, KeyError, AttributeError):
            pass
        raise ReadFailed(f"The file (({name})) of template {template_id} cannot be read.")

    def _shown(self, row: dict[str, Any]) -> dict[str, Any] | None:
        """Return the record of a template, or None if the key does not manage templates."""
        status, answer = self._get(f"/v2/templates/{row.get('id')}")
        return answer if status == 200 and isinstance(answer, dict) else None

    def _get(self, path: str) -> tuple[int, Any]:
        claims = {"iss": self._service, "iat": int(time.time())}
        token = jwt.encode(claims, self._secret, algorithm="HS256")
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        try:
            answer = http_client.get(f"{self._url}{path}", headers, max_bytes=MAX_BYTES, seconds=SECONDS)
        except UnsafeUrl as error:
            raise ReadFailed(f"The URL {error}.") from error
        except CallFailed as error:
            raise ReadFailed(f"The service cannot be reached: {error}.") from error
        try:
            return answer.status, json.loads(answer.body)
        except ValueError as error:
            if answer.status != 200:
                return answer.status, None
            raise ReadFailed("The response is not complete JSON.") from error


def _reason(answer: Any) -> str:
    """Return the message of an error in the form of v2."""
    try:
        return str(answer["errors"][0]["message"])[:300]
    except (KeyError, IndexError, TypeError):
        return "no reason"
