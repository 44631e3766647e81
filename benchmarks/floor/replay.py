"""Repeat the statements and commands that `record` has recorded from a call of the product, in the same order."""

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
MARK = "STORE CALLS "  # before the output of `record`
SECONDS = 0.5

_numbers = count()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCall:
    """A statement of PostgreSQL or a command of Redis. Any: parameters of their clients."""

    statement: str = ""
    parameters: Sequence[Any] = ()
    command: Sequence[Any] = ()

    def with_place_for(self, given: str) -> Self:
        """Return the call with a placeholder for `given`, the id that must differ in each call."""
        # Only the product can unpickle its own subclasses of str.
        plain = [str(value) if isinstance(value, str) else value for value in self.parameters]
        parameters = [ID if str(value) == given else [ID] if value == [given] else value for value in plain]
        return replace(self, parameters=parameters)


def replay() -> None:
    connection: Any = connections["default"]
    text = f"n{os.getpid()}-{next(_numbers)}"
    for call in _calls():
        if call.command:
            impatient(os.environ["REDIS_URL"], SECONDS).execute_command(*call.command)
            continue
        parameters = [uuid.uuid4() if value == ID else [text] if value == [ID] else value for value in call.parameters]
        with connection.prepared_cursor() as cursor:
            cursor.execute(call.statement, parameters)
            if cursor.description:
                cursor.fetchone()


def read(queries: str) -> list[StoreCall]:
    """Return the calls in the output of `record`."""
    return pickle.loads(base64.b64decode(queries)) if queries else []  # noqa: S301  written by `record`


@cache
def _calls() -> list[StoreCall]:
    return read(os.environ["STORE_CALLS"])
