"""Play the vectors of the sending contract over HTTP against a running service with the sandbox only.

All start at once and are played side by side: none depends on another, and those that wait need no processor.
"""

import contextlib
import json
import uuid
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests import both_stores
from tests.notifications.playing import Play, service_for
from tests.receivers import Receiver
from tests.servers import Program
from tests.service import Service

FOLDER = Path(__file__).parent.parent / "vectors"
PLAYERS = 8  # the number of threads of the web server

FIXTURE = json.loads((FOLDER / "notifications-fixture.json").read_text())
OTHER = next(service for service in FIXTURE["services"] if service["name"] == "Other")
VECTORS = [json.loads(line) for line in (FOLDER / "notifications.jsonl").read_text().strip().split("\n")]


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, service: Service, worker: Program) -> Iterator[dict[str, Future[None]]]:
    """Provision everything in one call, and play the vectors of this run."""
    ids = {item.callspec.id for item in request.session.items if hasattr(item, "callspec")}
    chosen = [vector for vector in VECTORS if vector["id"] in ids]
    services = [service_for(vector["given"]["service"], FIXTURE) for vector in chosen]
    receivers = {vector["id"]: Receiver(*_answers(vector)) for vector in chosen if "callback" in vector["given"]}
    for one, vector in zip(services, chosen, strict=True):
        if receiver := receivers.get(vector["id"]):
            one["callbacks"] = {"delivery_status": {"url": receiver.url, "bearer_token": f"token-{uuid.uuid4()}"}}
    fresh = [
        one for one, vector in zip(services, chosen, strict=True) if not isinstance(vector["given"]["service"], str)
    ]
    done = service.manage("provision", "-", input=json.dumps({**FIXTURE, "services": [*FIXTURE["services"], *fresh]}))
    assert done.returncode == 0, done.stderr
    texts = [
        {"service": one["id"], **text}
        for one, vector in zip(services, chosen, strict=True)
        for text in vector["given"].get("received", [])
    ]
    handed_in = service.manage("receive_text", "-", input=json.dumps({"texts": texts}))
    assert handed_in.returncode == 0, handed_in.stderr
    longest_first = sorted(zip(chosen, services, strict=True), key=lambda pair: -_longest_wait(pair[0]["expect"]))
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(PLAYERS) as pool:
        for receiver in receivers.values():
            stack.enter_context(receiver)
        plays = {
            vector["id"]: Play(service.url, one, OTHER, service.manage, receivers.get(vector["id"]))
            for vector, one in longest_first
        }
        yield {vector["id"]: pool.submit(plays[vector["id"]].vector, vector) for vector, _ in longest_first}
        pool.shutdown(cancel_futures=True)


def _answers(vector: dict[str, Any]) -> list[int]:
    callback = vector["given"]["callback"]
    return list(callback["answers"]) if isinstance(callback, dict) else []


def _longest_wait(expect: dict[str, Any]) -> float:
    callback = expect.get("callback", {})
    waits = (expect.get("within_s", 0), callback.get("within_s", 0), callback.get("then_none_for_s", 0))
    return float(max(waits))


@pytest.mark.parametrize(
    "vector", [pytest.param(one, id=one["id"], marks=both_stores.marks_of(one)) for one in VECTORS]
)
def test_vector(vector: dict[str, Any], played: dict[str, Future[None]]) -> None:
    played[vector["id"]].result()
