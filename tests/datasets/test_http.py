"""Cases that need real HTTP: existing clients, concurrent callers, broken connections."""

import gzip
import http.client
import json
import random
import socket
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from tests.datasets.making import some_records
from tests.service import Service


class Writer:
    """A separate data set in the running service, with a token to write and read it."""

    def __init__(self, service: Service, **settings: Any) -> None:
        self.service = service
        self.group = f"http-{uuid.uuid4().hex[:10]}"
        declared = {"group": self.group, "type": "visits", "tokens": [{"scopes": ["write", "read"]}], **settings}
        done = service.manage("provision", "-", input=json.dumps({"data_sets": [declared]}))
        assert done.returncode == 0, done.stderr
        (made,) = json.loads(done.stdout)["data_sets"]
        self.token = made["tokens"][0]["token"]
        self.saved_query_id = made["saved_queries"][0]["id"] if "saved_queries" in made else ""
        self.path = f"/data/{self.group}/visits"
        self.url = service.url + self.path

    def call(self, method: str, data: bytes | None = None, **headers: str) -> requests.Response:
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **headers}
        return requests.request(method, self.url, data=data, headers=sent, timeout=60)

    def post(self, records: Any, **headers: str) -> requests.Response:
        return self.call("POST", json.dumps(records).encode(), **headers)

    def stored(self) -> list[dict[str, Any]]:
        found, cursor = [], None
        while True:
            answer = requests.get(
                self.url,
                params={"limit": "10000", **({"cursor": cursor} if cursor else {})},
                headers={"Authorization": f"Bearer {self.token}"},
                timeout=60,
            ).json()
            found += answer["data"]
            cursor = answer["next_cursor"]
            if cursor is None:
                return found


@pytest.fixture
def writer(service: Service) -> Writer:
    return Writer(service)


def as_the_existing_client(writer: Writer, records: Any) -> requests.Response:
    """Post like performanceplatform-client: one `data=` text, compressed if it is longer than 2,048 bytes."""
    text = json.dumps(records).encode()
    headers = {"User-Agent": "Performance Platform Client 0.11.5", "Accept": "application/json, text/javascript"}
    if len(text) > 2048:
        return writer.call("POST", gzip.compress(text), **headers, **{"Content-Encoding": "gzip"})
    return writer.call("POST", text, **headers)


def test_the_existing_client_writes_a_bare_record_a_gzipped_batch_and_empties(writer):
    bare = as_the_existing_client(writer, some_records(1)[0])
    batch = as_the_existing_client(writer, some_records(100))
    assert (bare.json(), batch.json()) == ({"status": "ok"}, {"status": "ok"})
    assert len(writer.stored()) == 100

    emptied = writer.call("PUT", b"[]", **{"User-Agent": "Performance Platform Client 0.11.5"})

    name = f"{writer.group.replace('-', '_')}_visits"
    assert emptied.json() == {"message": f"{name} now contains 0 records", "status": "ok"}
    assert writer.stored() == []


def test_ten_thousand_records_in_one_post(writer):
    assert writer.post(some_records(10_000)).json() == {"status": "ok"}
    assert writer.post(some_records(10_000, again=1)).json() == {"status": "ok"}

    stored = writer.stored()

    assert len(stored) == 10_000
    assert all(record["again"] == 1 for record in stored)


@pytest.mark.fault("D5")
def test_fifty_batches_with_the_same_ids_in_different_orders(writer):
    def batch(number: int) -> requests.Response:
        records = some_records(200, batch=number)
        random.Random(number).shuffle(records)  # noqa: S311  an order, not a secret
        return writer.post(records)

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(batch, range(50)))

    stored = writer.stored()
    assert Counter(answer.status_code for answer in answers) == {200: 50}
    assert len(stored) == 200
    assert len({record["batch"] for record in stored}) == 1  # the batches are stored one by one: the last is complete


@pytest.mark.fault("D4")
def test_one_idempotency_key_fifty_times_at_once(writer):
    body = [{"_timestamp": "2024-01-01T00:00:00Z", "n": n} for n in range(150)]

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: writer.post(body, **{"Idempotency-Key": "one"}), range(50)))

    assert Counter(answer.status_code for answer in answers) == {200: 50}
    assert Counter(answer.headers.get("Idempotent-Replay") for answer in answers) == {"true": 49, None: 1}
    assert len(writer.stored()) == 150


def test_concurrent_writes_and_emptyings_leave_whole_batches(writer):
    def turn(number: int) -> int:
        if number % 5 == 4:
            return writer.call("PUT", b"[]").status_code
        return writer.post([{**record, "_id": f"{number}-{record['_id']}"} for record in some_records(30)]).status_code

    with ThreadPoolExecutor(10) as pool:
        statuses = set(pool.map(turn, range(40)))

    counts = Counter(record["_id"].partition("-")[0] for record in writer.stored())
    assert statuses == {200}
    assert set(counts.values()) <= {30}


def test_a_broken_connection_stores_nothing(writer):
    whole = json.dumps(some_records(1)).encode()
    address = urlsplit(writer.url)
    head = (
        f"POST {writer.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {writer.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(whole) + 10}\r\n\r\n"
    )
    with socket.create_connection((address.hostname, address.port)) as connection:
        connection.sendall(head.encode() + whole)
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(10)
        while connection.recv(4096):
            pass

    assert writer.stored() == []


def test_the_connection_is_clean_after_errors(writer):
    """The service of 2018 stayed broken after an error that only its database noticed."""
    connection = http.client.HTTPConnection(urlsplit(writer.url).netloc, timeout=60)
    headers = {"Authorization": f"Bearer {writer.token}", "Content-Type": "application/json"}
    statuses = []
    for body in (
        b'[{"_timestamp":"2024-01-01T00:00:00Z","a":"\\u0000"}]',
        b"[",
        b'{"_timestamp":"2024-01-01T00:00:00Z"}',
    ):
        connection.request("POST", writer.path, body, headers)
        answer = connection.getresponse()
        answer.read()
        statuses.append(answer.status)

    assert statuses == [400, 400, 200]


def test_a_long_answer_is_compressed_if_the_caller_accepts_gzip(writer):
    writer.post(some_records(50))
    auth = {"Authorization": f"Bearer {writer.token}"}

    packed = requests.get(writer.url, headers={**auth, "Accept-Encoding": "gzip"}, timeout=60)
    plain = requests.get(writer.url, headers={**auth, "Accept-Encoding": "identity;q=1, gzip;q=0"}, timeout=60)

    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert packed.json() == plain.json()
    assert packed.headers["ETag"] == plain.headers["ETag"]
    assert {packed.headers["Vary"], plain.headers["Vary"]} == {"Accept-Encoding"}


def test_every_answer_has_a_new_request_id(writer):
    answer = writer.post([], **{"X-Request-Id": "mine"})

    assert uuid.UUID(answer.headers["X-Request-Id"])


@pytest.mark.fault("G6")
def test_the_log_names_the_data_set_and_neither_token_nor_path(writer):
    writer.post(some_records(3))

    log = writer.service.logs()["web"]
    assert writer.token not in log
    assert writer.group not in log
    assert writer.token[:8] in log
