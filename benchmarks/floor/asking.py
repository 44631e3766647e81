"""Asks the stores what a call of the product asks them, as `record` has written it down, in the same order."""

import base64
import os
import pickle
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import Any, Self

from django.db import connections

from config.queue.redis_client import impatient

ID = "the-id-of-a-record"
MARK = "ASKED "  # before what `record` has written
SECONDS = 0.5

_numbers = count()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A statement of PostgreSQL's, or a command of Redis's; Any: as their clients take them."""

    statement: str = ""
    parameters: Sequence[Any] = ()
    command: Sequence[Any] = ()

    def with_place_for(self, given: str) -> Self:
        """given: the id that is to be another one each time"""
        # Texts of the product's own kinds can be read by nobody but the product.
        plain = [str(value) if isinstance(value, str) else value for value in self.parameters]
        parameters = [ID if str(value) == given else [ID] if value == [given] else value for value in plain]
        return replace(self, parameters=parameters)


def ask() -> None:
    connection: Any = connections["default"]
    text = f"n{os.getpid()}-{next(_numbers)}"
    for one in _asked():
        if one.command:
            impatient(os.environ["REDIS_URL"], SECONDS).ask(*one.command)
            continue
        parameters = [uuid.uuid4() if value == ID else [text] if value == [ID] else value for value in one.parameters]
        with connection.prepared_cursor() as cursor:
            cursor.execute(one.statement, parameters)
            if cursor.description:
                cursor.fetchone()


@cache
def _asked() -> list[Asked]:
    return pickle.loads(base64.b64decode(os.environ["ASKED"]))  # noqa: S301  our own
