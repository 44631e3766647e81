"""Servers that answer slowly, wrongly or without end: every call ends with one sentence, and leaves nothing behind."""

import asyncio
import gzip
import time
import uuid

import pytest
import typer.main
from signalbox import AsyncSignalbox, Signalbox, SignalboxError, commands
from signalbox._calls import get
from signalbox._wire import delay_before_retry

from tests.servers import serve, serve_raw

SERVICE = str(uuid.uuid4())
SECRET = str(uuid.uuid4())
KEY = f"a-{SERVICE}-{SECRET}"
OK = b"HTTP/1.1 200 OK\r\n"
LONGEST_SECONDS = 8  # the slow servers give up then, as if they had ended well


def slowly(peer, is_over, start=b"", one=b"x", pause=0.02):
    peer.sendall(start)
    ends_at = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < ends_at and not is_over.wait(pause):
        peer.sendall(one)


def silent(peer, is_over):
    is_over.wait(LONGEST_SECONDS)


def stalls(peer, is_over):
    peer.sendall(OK + b"Content-Length: 100\r\n\r\n")
    is_over.wait(LONGEST_SECONDS)


def endless(peer, is_over):
    peer.sendall(OK + b"\r\n")
    while not is_over.is_set():
        peer.sendall(b" " * 65536)


def bomb(peer, is_over):
    packed = gzip.compress(b" " * 4 * 1024 * 1024)
    peer.sendall(OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed)


RAW = {
    "accepts and is silent": silent,
    "sends headers and stalls": stalls,
    "drips headers": lambda *peer: slowly(*peer, OK + b"X: "),
    "drips a body": lambda *peer: slowly(*peer, OK + b"Content-Length: 5000\r\n\r\n"),
    "drips a body without a length": lambda *peer: slowly(*peer, OK + b"\r\n{", b" "),
    "breaks off": lambda peer, is_over: peer.sendall(OK + b'Content-Length: 100\r\n\r\n{"templates"'),
    "is endless": endless,
    "sends a gzip bomb": bomb,
}
ENDLESS = {"is endless", "sends a gzip bomb"}  # a download may be as long as it likes


@pytest.fixture(autouse=True)
def small_limit(monkeypatch):
    monkeypatch.setattr("signalbox._limits.MOST_BYTES", 1024 * 1024)


def ended(call):
    started = time.monotonic()
    with pytest.raises(SignalboxError) as caught:
        call()
    assert time.monotonic() - started < LONGEST_SECONDS / 2
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("name", RAW)
def test_a_call_of_the_library_ends(name):
    async def ask(url):
        async with AsyncSignalbox(url, KEY, timeout_seconds=0.1, max_retries=0) as client:
            await client.get_all_templates()

    with serve_raw(RAW[name]) as url, Signalbox(url, KEY, timeout_seconds=0.1, max_retries=0) as client:
        ended(client.get_all_templates)
        ended(lambda: asyncio.run(ask(url)))
        ended(lambda: client.send_email_notification("a@example.org", SERVICE))
        if name not in ENDLESS:
            ended(lambda: list(client.data_set("demo/visits", "token").download()))


def test_a_slow_answer_on_a_connection_in_use_ends(monkeypatch):
    """The second answer comes on the connection of the first one, which answered well."""

    def converse(peer, is_over):
        peer.sendall(OK + b'Content-Length: 16\r\n\r\n{"templates":[]}')
        peer.recv(65536)
        slowly(peer, is_over, OK + b"X: ")

    with serve_raw(converse) as url, Signalbox(url, KEY, timeout_seconds=0.1, max_retries=0) as client:
        assert client.get_all_templates() == {"templates": []}
        ended(client.get_all_templates)


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        ("0", 0, 0), ("7", 7, 7), ("60", 60, 60), ("-5", 0, 1), ("1.5", 0, 1), ("soon", 0, 1),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0, 0), ("61", None, None), ("9" * 400, None, None),
        ("Fri, 31 Dec 9999 23:59:59 GMT", None, None),
    ],
)  # fmt: skip
def test_retry_after_is_obeyed_up_to_a_minute(value, least, most):
    import httpx

    delay = delay_before_retry(get("/"), 1, 2, httpx.Response(429, headers={"Retry-After": value}))

    assert (delay is None) == (least is None)
    assert delay is None or least <= delay <= most


VALUES = {"data_set": "demo/visits", "outcome": "delivered", "parameter": "limit=1", "query_id": "a", "where": "a = 1"}
FLAGS = {"yes": ["--yes"], "seconds": ["--seconds", "1"]}
PATHS = {"file": "given.csv", "settings": "given.json", "folder": "templates"}
LOCAL = {"login", "logout", "version", "mcp"}  # they call no service


def arguments_of(command, folder):
    """Return arguments with which a command calls the service."""
    given = []
    for parameter in command.params:
        is_option = parameter.param_type_name == "option"
        given += FLAGS.get(parameter.name, [])
        if not parameter.required and is_option:
            continue
        value = str(folder / PATHS[parameter.name]) if parameter.name in PATHS else VALUES.get(parameter.name, SERVICE)
        given += [parameter.opts[0], value] if is_option else [value]
    return given


def all_commands(group, above=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from all_commands(command, (*above, name))
        else:
            yield (*above, name), command


SERVERS = {
    "silent": silent,
    "breaks off": RAW["breaks off"],
    "a page": lambda peer, is_over: peer.sendall(OK + b"Content-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"),
    "elsewhere": None,
}


@pytest.mark.parametrize("name", SERVERS)
def test_every_command_ends_with_a_sentence_and_leaves_nothing(name, invoke, tmp_path, monkeypatch):
    for variable in ("SIGNALBOX_KEY", "SIGNALBOX_DATA_TOKEN", "SANDBOX_TOKEN"):
        monkeypatch.setenv(variable, KEY)
    monkeypatch.setattr("signalbox._wire._FIRST_DELAY_SECONDS", 0.001)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "templates").mkdir()
    (tmp_path / "given.csv").write_text("_timestamp,_id\n2026-11-20T09:00:00Z,a\n")
    (tmp_path / "given.json").write_text('{"_timestamp":"2026-11-20T09:00:00Z"}')
    before = {path: path.is_file() and path.read_text() for path in tmp_path.rglob("*")}
    with serve((200, {}, {})) as (elsewhere, other):
        moved = b"HTTP/1.1 307 Moved\r\nLocation: %s/\r\nContent-Length: 0\r\n\r\n" % elsewhere.encode()
        with serve_raw(SERVERS[name] or (lambda peer, is_over: peer.sendall(moved))) as url:
            for words, command in all_commands(typer.main.get_command(commands.app)):
                if words[0] in LOCAL:
                    continue

                line = ["--url", url, "--timeout", "0.02", *words, *arguments_of(command, tmp_path)]
                done = invoke(*line, text='{"_timestamp":"2026-11-20T09:00:00Z"}')

                sentences = [line for line in done.err.splitlines() if "Ctrl-C stops" not in line]
                assert done.code in {1, 3}, (words, done.err)
                assert 1 <= len(sentences) <= 2, (words, done.err)
                assert "Traceback" not in done.err
                assert "not as expected" not in done.err, words
                assert SECRET not in done.err + done.out
                assert {path: path.is_file() and path.read_text() for path in tmp_path.rglob("*")} == before, words
    assert other.asked == []
