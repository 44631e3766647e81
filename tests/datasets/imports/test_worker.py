"""A file that is sent over HTTP is read and stored by a worker."""

import time
from typing import Any

import pytest
import requests

from tests.datasets.test_http import Writer
from tests.service import Service

PATIENCE_SECONDS = 90


@pytest.fixture(scope="module")
def writer(service: Service) -> Writer:
    service.start_worker()
    return Writer(service)


def ask(writer: Writer, method: str, path: str, body: bytes | None = None, **headers: str) -> Any:
    sent = {"Authorization": f"Bearer {writer.token}", **headers}
    return requests.request(method, f"{writer.url}/imports{path}", data=body, headers=sent, timeout=30)


def wait_for(writer: Writer, job: dict[str, Any]) -> dict[str, Any]:
    ends_at = time.monotonic() + PATIENCE_SECONDS
    while job["state"] in {"reading", "running"} and time.monotonic() < ends_at:
        time.sleep(0.2)
        job = ask(writer, "GET", f"/{job['id']}").json()
    return job


def test_a_worker_imports_a_file(writer):
    csv = "_timestamp,n\n" + "".join(f"2024-01-01T{n % 24:02}:00,{n}\n" for n in range(3000))

    sent = ask(writer, "POST", "", csv.encode(), **{"Content-Type": "text/csv"})
    done = wait_for(writer, sent.json())

    assert (done["state"], done["rows"]["stored"], done["rows"]["new"]) == ("finished", 3000, 3000)
    assert len(writer.stored()) == 3000


def test_a_worker_goes_on_after_the_answers(writer):
    asked = wait_for(writer, ask(writer, "POST", "", b"Tag;n\n31.01.2024;1,5\n", **{"Content-Type": "text/csv"}).json())
    assert asked["state"] == "needs_answers"

    answer = {"settings": {"decimal": ",", "columns": {"Tag": {"to": "_timestamp"}}}}
    changed = requests.patch(
        f"{writer.url}/imports/{asked['id']}",
        json=answer,
        headers={"Authorization": f"Bearer {writer.token}"},
        timeout=30,
    )

    assert wait_for(writer, changed.json())["state"] == "finished"


def test_a_chunked_body_is_taken(writer):
    blocks = iter([b"_timestamp,n\n", b"2024-01-01,1\n"])

    sent = ask(writer, "POST", "", blocks, **{"Content-Type": "text/csv"})  # type: ignore[arg-type]

    assert wait_for(writer, sent.json())["rows"]["stored"] == 1
