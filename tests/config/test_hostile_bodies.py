"""Hostile JSON and gzip bodies get a 4xx with a plain sentence or work, and leave a web process below 250 MiB."""

import gzip
import json
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from tests.config.test_memory import MIB, MOST_MIB, peak_mib
from tests.config.test_unread_body import provisioned, token_of
from tests.datasets.test_http import Writer
from tests.servers import processes

LEAK = re.compile(r"Traceback|File \"|Exception|<class|psycopg|sqlite|msgspec|Django", re.IGNORECASE)
START = b'[{"_timestamp":"2024-01-01T00:00:00Z",'
# Functions, because the bodies of all cases take 700 MB.
JSON: dict[str, Callable[[], bytes]] = {
    "deep arrays": lambda: b"[" * 100_000,
    "closed deep arrays": lambda: b"[" * 50_000 + b"]" * 50_000,
    "deep objects": lambda: b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep in a record": lambda: START + b'"a":' + b"[" * 900 + b"]" * 900 + b"}]",
    "five million names": lambda: START + b",".join(b'"f%d":1' % number for number in range(4_900_000)) + b"}]",
    "one name a million times": lambda: START + b",".join([b'"a":1'] * 1_000_000) + b"}]",
    "one object a million times": lambda: START + b'"a":[' + b",".join([b'{"a":1}'] * 1_000_000) + b"]}]",
    "a number of a million digits": lambda: START + b'"a":' + b"9" * MIB + b"}]",
    "a great exponent": lambda: START + b'"a":1e' + b"9" * MIB + b"}]",
    "a million fraction digits": lambda: START + b'"a":0.' + b"1" * MIB + b"}]",
    "escaped quotes": lambda: START + b'"a":"' + b'\\"' * (8 * MIB) + b'"}]',
    "escaped backslashes": lambda: START + b'"a":"' + b"\\\\" * (8 * MIB) + b'"}]',
    "escaped characters": lambda: START + b'"a":"' + b"\\u00e9" * (3 * MIB) + b'"}]',
    "lone surrogates": lambda: START + b'"a":"' + b"\\ud800" * MIB + b'"}]',
    "surrogate pairs": lambda: START + b'"a":"' + b"\\ud83d\\ude00" * MIB + b'"}]',
    "escaped NULs": lambda: START + b'"a":"' + b"\\u0000" * MIB + b'"}]',
    "a string without an end": lambda: START + b'"a":"' + b"[{," * (5 * MIB),
    "a broken escape at the end": lambda: START + b'"a":"' + b"x" * MIB + b"\\",
    "bytes that are not UTF-8": lambda: START + b'"a":"' + b"\xff" * MIB + b'"}]',
    "commas": lambda: b"[" + b"," * (20 * MIB) + b"]",
    "empty objects": lambda: b"[" + b"{}," * (21 * MIB) + b"{}]",
    "empty texts": lambda: START + b'"a":[' + b'"",' * (20 * MIB) + b'""]}]',
    "an error after many values": lambda: START + b'"a":[' + b"0," * 4_900_000 + b"x]}]",
    "white space": lambda: b" " * (15 * MIB) + b"x",
    "NaN": lambda: START + b'"a":NaN}]',
    "two values": lambda: b"[][]",
}


def header(flags: int, extra: bytes = b"") -> bytes:
    return b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\xff" + extra


def member(data: bytes, flags: int = 0, extra: bytes = b"", *, checksum: int | None = None, size: int = -1) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    crc = zlib.crc32(data) if checksum is None else checksum
    end = struct.pack("<II", crc, len(data) if size < 0 else size)
    return header(flags, extra) + packer.compress(data) + packer.flush() + end


ONE = b'[{"_timestamp":"2024-01-01T00:00:00Z","_id":"one"}]'
GZIP: dict[str, Callable[[], bytes]] = {
    "a bomb of zero bytes": lambda: gzip.compress(b"\0" * (512 * MIB), 1),
    "a bomb of spaces": lambda: gzip.compress(b" " * (512 * MIB), 1),
    "a bomb in a text": lambda: gzip.compress(START + b'"a":"' + b"x" * (65 * MIB) + b'"}]', 1),
    "a bomb of objects": lambda: gzip.compress(b"[" + b"{}," * (21 * MIB) + b"{}]", 9),
    "a bomb of nested arrays": lambda: gzip.compress(b"[" * (60 * MIB), 9),
    "a bomb in a bomb": lambda: gzip.compress(gzip.compress(b"\0" * (64 * MIB), 9), 9),
    "many members": lambda: gzip.compress(ONE[:1]) + gzip.compress(b"") * 50_000 + gzip.compress(ONE[1:]),
    "many bombs": lambda: gzip.compress(b"{}," * MIB, 9) * 200,
    "rubbish at the end": lambda: gzip.compress(ONE) + b"rubbish" * MIB,
    "zero bytes at the end": lambda: gzip.compress(ONE) + b"\0" * (8 * MIB),
    "a header at the end": lambda: gzip.compress(ONE) + header(0),
    "cut short": lambda: gzip.compress(ONE)[:-5],
    "a wrong checksum": lambda: member(ONE, checksum=1),
    "a wrong size": lambda: member(ONE, size=7),
    "a great extra field": lambda: member(ONE, 4, struct.pack("<H", 65_535) + b"x" * 65_535),
    "an extra field without an end": lambda: header(4, struct.pack("<H", 65_535) + b"x"),
    "a name without an end": lambda: header(8, b"a" * (16 * MIB)),
    "a comment without an end": lambda: header(16, b"a" * (16 * MIB)),
    "reserved flags": lambda: member(ONE, 0xE0),
    "another method": lambda: b"\x1f\x8b\x07" + gzip.compress(ONE)[3:],
    "no deflate data": lambda: header(0) + b"\xff" * MIB,
    "no gzip": lambda: b"[]",
    "nothing": lambda: b"",
}


@pytest.fixture(scope="module")
def attacked(start_service):
    return start_service()


@pytest.fixture(autouse=True)
def _own_peak(attacked):
    """Let the peak of each test begin at the present size of the process."""
    for pid in processes(attacked.web.pid):
        Path(f"/proc/{pid}/clear_refs").write_text("5")


@pytest.fixture(scope="module")
def writer(attacked) -> Writer:
    return Writer(attacked)


@pytest.fixture(scope="module")
def sender(attacked):
    return provisioned(attacked)


def check(answer: requests.Response, service) -> None:
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        body = answer.json()
        messages = [body["message"]] if "message" in body else [error["message"] for error in body["errors"]]
        assert all(messages)
        assert not LEAK.search(answer.text)
    assert len(answer.content) < 8 * MIB  # the sending API quotes wrong values
    assert peak_mib(service) < MOST_MIB


@pytest.mark.parametrize(("method", "coding"), [("POST", "identity"), ("PUT", "gzip")])
@pytest.mark.parametrize("make", JSON.values(), ids=JSON)
def test_hostile_json_for_a_data_set(attacked, writer, make, method, coding):
    body = make()
    sent = gzip.compress(body, 1) if coding == "gzip" else body

    check(writer.call(method, sent, **{"Content-Encoding": coding}), attacked)


@pytest.mark.parametrize("make", GZIP.values(), ids=GZIP)
def test_hostile_gzip_for_a_data_set(attacked, writer, make):
    check(writer.call("POST", make(), **{"Content-Encoding": "gzip"}), attacked)


@pytest.mark.parametrize("path", ["sms", "bulk"])
@pytest.mark.parametrize("make", JSON.values(), ids=JSON)
def test_hostile_json_for_a_message(attacked, sender, make, path):
    name = b"rows" if path == "bulk" else b"personalisation"

    check(_send(attacked, sender, path, b'{"template_id":"x","%b":%b}' % (name, make())), attacked)


@pytest.mark.parametrize("make", GZIP.values(), ids=GZIP)
def test_gzip_for_a_message_is_refused_unopened(attacked, sender, make):
    path, body = "sms", make()
    answer = _send(attacked, sender, path, body, **{"Content-Encoding": "gzip"})

    check(answer, attacked)
    assert answer.status_code in {413, 415}


def _send(service, sender, path: str, data: bytes, **headers: str) -> requests.Response:
    sent = {"Authorization": f"Bearer {token_of(sender)}", "Content-Type": "application/json", **headers}
    return requests.post(f"{service.url}/v2/notifications/{path}", data=data, headers=sent, timeout=60)


def test_the_data_set_still_works(attacked, writer):
    assert writer.post(json.loads(ONE)).status_code == 200
    assert peak_mib(attacked) < MOST_MIB
