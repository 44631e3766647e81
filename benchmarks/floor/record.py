"""Writes down what one call of the product asks of its stores, so that the floor can ask the same and do nothing else.

For `manage.py shell` of the product: `from benchmarks.floor import record; record.main(…)`.
"""

import base64
import pickle
from functools import partial
from typing import Any

from django.db import connection
from django.test import Client

from benchmarks.floor.asking import ID, MARK, Asked
from config.queue.redis_client import Impatient


def main(method: str, path: str, body: str, headers: dict[str, str]) -> None:
    """Print what the second of two such calls asks: the first finds who calls, which is then known for a moment.

    The id it gives, or one in the body that reads `ID`, is to be another one each time.
    """
    asked: list[Asked] = []
    call = partial(Client(headers=headers | {"Host": "127.0.0.1"}).generic, method, path, body, "application/json")
    call()
    ask = Impatient.ask

    def note_command(self: Impatient, *command: Any) -> Any:
        asked.append(Asked(command=command))
        return ask(self, *command)

    def note_statement(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        asked.append(Asked(statement=sql, parameters=list(parameters or ())))
        return execute(sql, parameters, many, context)

    Impatient.ask = note_command  # type: ignore[method-assign]
    with connection.execute_wrapper(note_statement):
        answer = call()
    assert answer.status_code < 300, answer.content
    given = str(answer.json().get("id", ID)) if method == "POST" else ID
    written = [one.with_place_for(given) for one in asked]
    print(MARK + base64.b64encode(pickle.dumps(written)).decode())
