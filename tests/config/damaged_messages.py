"""Damaged queue messages by the kind of damage."""

import base64
import json
import math
from typing import Any

PROPERTIES = {
    "body_encoding": "base64",
    "delivery_tag": "a-tag",
    "delivery_info": {"exchange": "", "routing_key": "periodic"},
}


def task(**changes: Any) -> bytes:
    """Return a message for a real task with these changes. None removes a part."""
    message = {
        "body": base64.b64encode(b"[[], {}, {}]").decode(),
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": {"task": "config.queue.tasks.note_worker", "id": "5f6c"},
        "properties": PROPERTIES,
    }
    return json.dumps({name: value for name, value in (message | changes).items() if value is not None}).encode()


def with_header(**headers: Any) -> bytes:
    return task(headers={"task": "config.queue.tasks.note_worker", "id": "5f6c", **headers})


DAMAGED = {
    "empty": b"",
    "cut off": task()[:40],
    "a list": b"[]",
    "a number": b"5",
    "null": b"null",
    "garbage": bytes(range(128, 256)),
    "zeros": b"\0" * 512,
    "nested too deep": b"[" * 100_000,
    "no properties": task(properties=None),
    "properties of another kind": task(properties="x"),
    "no delivery tag": task(properties={"body_encoding": "base64", "delivery_info": {}}),
    "no headers": task(headers=None),
    "headers of another kind": task(headers=[1]),
    "a task without an id": task(headers={"task": "config.queue.tasks.note_worker"}),
    "a task whose name is a list": with_header(task=[]),
    "a task of another content type": task(**{"content-type": "application/data"}),
    "a task of another encoding": task(**{"content-encoding": "binary"}),
    "a body that is no base64": task(body="%"),
    "a body that is no JSON": task(body=base64.b64encode(b"x").decode()),
    "a body that is no task": task(body=base64.b64encode(b"{}").decode()),
    "a chain that is none": task(body=base64.b64encode(b'[[], {}, {"chain": 5}]').decode()),
    "a time limit that is none": with_header(timelimit="soon"),
    "one time limit": with_header(timelimit=[5]),
    "time limits that are none": with_header(timelimit=[{}, []]),
    "tries that are none": with_header(retries="often"),
    "an end that is none": with_header(expires={}),
    "a moment that is a number": with_header(eta=10**30),
    "time limits before the start": with_header(timelimit=[-5, -5]),
    "time limits without an end": with_header(timelimit=[1e300, 1e300]),
    "time limits that are not a number": with_header(timelimit=[math.nan, math.nan]),
    "stamps that are none": with_header(stamped_headers=5, stamps="x"),
    "a group and a parent that are none": with_header(group={}, parent_id=[]),
    "arguments of another kind": task(body=base64.b64encode(b"[1, 2, 3]").decode()),
}
# Readable messages that fail in Celery.
ODD = {
    "no task": task(headers={}),
    "no task and another content type": task(headers={}, **{"content-type": "application/data"}),
    "no task and no JSON": task(headers={}, body=base64.b64encode(b"\xff\x00").decode()),
    "packed by a program nobody has": with_header(compression="application/x-nobody"),
    "packed, and no archive": with_header(compression="gzip"),
    "pickled": task(headers={}, **{"content-type": "application/x-python-serialize"}),
    "a task nobody knows": with_header(task="nobody.knows"),
    "a moment that is none": with_header(eta="soon"),
    "an end past all calendars": with_header(expires="99999-12-31T23:59:59Z"),
    "a language and an origin that are none": with_header(lang=[], origin={}, argsrepr=5, kwargsrepr=[]),
    "an answer to nobody": task(properties={**PROPERTIES, "reply_to": [], "correlation_id": {}, "priority": "high"}),
}
