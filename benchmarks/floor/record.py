"""Record the statements and commands of one call of the product, so that the floor can repeat them.

For `manage.py shell` of the product: `from benchmarks.floor import record; record.main(…)`.
"""

import base64
import pickle
from functools import partial
from typing import Any

from django.db import connection
from django.test import Client
from redis.connection import AbstractConnection

from benchmarks.floor.replay import ID, MARK, StoreCall


def main(method: str, path: str, body: str, headers: dict[str, str]) -> None:
    """Print the statements and commands of the second of two equal calls; the first one fills the caches.

    The id in the answer, or `ID` in the body, is replaced by a new id at each replay.
    """
    calls: list[StoreCall] = []
    call = partial(Client(headers=headers | {"Host": "127.0.0.1"}).generic, method, path, body, "application/json")
    call()
    send_command = AbstractConnection.send_command

    def note_command(self: AbstractConnection, *command: Any, **options: Any) -> None:
        calls.append(StoreCall(command=command))
        send_command(self, *command, **options)

    def note_statement(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        calls.append(StoreCall(statement=sql, parameters=list(parameters or ())))
        return execute(sql, parameters, many, context)

    # All clients send through a connection, also those of `config.queue.redis_client`.
    AbstractConnection.send_command = note_command  # type: ignore[method-assign]
    with connection.execute_wrapper(note_statement):
        answer = call()
    assert answer.status_code < 300, answer.content
    given = str(answer.json().get("id", ID)) if method == "POST" else ID
    written = [one.with_place_for(given) for one in calls]
    print(MARK + base64.b64encode(pickle.dumps(written)).decode())
