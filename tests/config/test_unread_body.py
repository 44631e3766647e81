"""An answer before the body is read does not lose the client's next request. Source: RFC 9112 §9.3, §9.6."""

import contextlib
import http.client
import json
import shutil
import socket
import subprocess
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from tests.notifications.provisioned import Provisioned
from tests.notifications.tokens import make_token

TRIES = 9  # of each rejected request by each client: about a hundred for each client
BODY = b"x" * 200_000
TEXT = "/v2/notifications/sms"
REFUSED = {
    "v2 without a token": ("POST", TEXT, 401),
    "v2 with a wrong token": ("POST", TEXT, 403),
    "unknown path of v2": ("POST", "/v2/nowhere", 404),
    "method of v2": ("PUT", "/v2/templates", 405),
    "v2 with another type": ("POST", TEXT, 415),
    "v2 over its rate": ("POST", TEXT, 429),
    "data without a token": ("POST", "/data/a/b", 401),
    "method of data": ("PATCH", "/data/a/b", 405),
    "unknown path": ("POST", "/nowhere", 404),
    "health": ("POST", "/_status", 405),
    "sign-in": ("POST", "/admin/login/", 403),
    "static file": ("POST", "/static/config/pages.css", 405),
}
NODE = """
const http = require("http")
const agent = new http.Agent({keepAlive: true, maxSockets: 1})
const [, port, requests, tries] = process.argv
const send = (method, path, headers, body) => new Promise((resolve, reject) => {
  const request = http.request({agent, port, method, path, headers}, answer => {
    answer.resume()
    answer.on("end", () => resolve(answer.statusCode))
  })
  request.on("error", reject)
  request.end(body)
})
const main = async () => {
  for (const [method, path, headers] of JSON.parse(requests)) {
    for (let one = 0; one < Number(tries); one++) {
      console.log(await send(method, path, headers, Buffer.alloc(200000, "x")))
      console.log(await send("GET", "/_status", {}))
    }
  }
  agent.destroy()
}
main()
"""


@pytest.fixture(scope="module")
def small(start_service):
    """A service with a body limit of 100,000 bytes below /v2."""
    return start_service(REQUEST_MAX_BYTES="100000")


def provisioned(service, **settings: object) -> Provisioned:
    document = {"name": f"Callers {uuid.uuid4().hex[:8]}", "api_keys": [{"name": "test-key", "type": "test"}]}
    return Provisioned(service, {**document, "templates": [], **settings})


@pytest.fixture
def headers(request, service) -> dict[str, str]:
    return headers_of(request.node.callspec.id, service)


def headers_of(name: str, service) -> dict[str, str]:
    kind = "text/plain" if name == "v2 with another type" else "application/json"
    token = {
        "v2 with a wrong token": lambda: "a.b.c",
        "v2 with another type": lambda: token_of(provisioned(service)),
        "v2 over its rate": lambda: token_of(one_that_may_send_no_more(service)),
    }.get(name, str)()
    return {"Content-Type": kind, **({"Authorization": f"Bearer {token}"} if token else {})}


def one_that_may_send_no_more(service) -> Provisioned:
    """Return a service that has used up its rate limit of one request a minute."""
    limited = provisioned(service, rate_limit_per_minute=1)
    limited.request("POST", TEXT, {})
    return limited


def token_of(caller: Provisioned) -> str:
    return make_token(caller.id, caller.keys["test"][-36:])


def read_answer(connection: socket.socket) -> tuple[int, str | None]:
    """Return the status and the header `Connection` of an answer."""
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    answer.read()
    return answer.status, answer.getheader("Connection")


def head_of(method: str, path: str, headers: dict[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *(f"{name}: {text}" for name, text in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def refusals_and_next(service, method: str, path: str, headers: dict[str, str], body: bytes, tries: int = TRIES):
    """Send the request and `GET /_status` in turn over one connection until it closes."""
    found = []
    with contextlib.ExitStack() as closing:
        connection = None
        for _ in range(tries):
            for request in (head_of(method, path, headers) + body, head_of("GET", "/_status", {})):
                if connection is None:
                    connection = closing.enter_context(socket.create_connection(("127.0.0.1", service.port), 20))
                connection.sendall(request)
                status, kept = read_answer(connection)
                found.append(status)
                if kept == "close":
                    connection = closing.close()
    return found


@pytest.mark.parametrize(("method", "path", "status"), REFUSED.values(), ids=REFUSED)
@pytest.mark.fault("E9")
def test_a_raw_connection_loses_no_request_after_a_rejected_one(service, headers, method, path, status):
    found = refusals_and_next(service, method, path, {**headers, "Content-Length": str(len(BODY))}, BODY)

    assert found == [status, 200] * TRIES


@pytest.mark.parametrize(("method", "path", "status"), REFUSED.values(), ids=REFUSED)
def test_a_connection_with_chunked_bodies_loses_no_request_either(service, headers, method, path, status):
    body = b"".join(b"%x\r\n%s\r\n" % (50_000, BODY[:50_000]) for _ in range(4)) + b"0\r\n\r\n"

    found = refusals_and_next(service, method, path, {**headers, "Transfer-Encoding": "chunked"}, body)

    assert found == [status, 200] * TRIES


def test_a_too_large_body_is_rejected_and_no_request_is_lost(small):
    token_less = {"Content-Type": "application/json", "Content-Length": str(len(BODY))}

    assert refusals_and_next(small, "POST", TEXT, token_less, BODY) == [401, 200] * TRIES


def test_a_too_large_body_with_a_valid_token_gets_413_and_no_request_is_lost(small):
    token = token_of(provisioned(small))
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Content-Length": "200000"}

    assert refusals_and_next(small, "POST", TEXT, headers, BODY) == [413, 200] * TRIES


@pytest.mark.parametrize(("method", "path", "status"), REFUSED.values(), ids=REFUSED)
def test_the_python_library_requests_loses_no_request(service, headers, method, path, status):
    with requests.Session() as session:
        found = [
            answer.status_code
            for _ in range(TRIES)
            for answer in (
                session.request(method, f"{service.url}{path}", data=BODY, headers=headers, timeout=20),
                session.get(f"{service.url}/_status", timeout=20),
            )
        ]

    assert found == [status, 200] * TRIES


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on this machine")
def test_an_agent_of_node_loses_no_request(service):
    asked = [(method, path, headers_of(name, service)) for name, (method, path, _) in REFUSED.items()]

    done = subprocess.run(
        ["node", "-e", NODE, "--", str(service.port), json.dumps(asked), str(TRIES)],
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == [text for *_, status in REFUSED.values() for text in [str(status), "200"] * TRIES]


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ({"Content-Length": "1000"}, b""),
        ({"Content-Length": "1000"}, b"half"),
        ({"Transfer-Encoding": "chunked"}, b"5\r\nhal"),
        ({"Transfer-Encoding": "chunked"}, b"xyz\r\n"),
        ({"Transfer-Encoding": "chunked"}, b"3\r\nabcdef"),
        ({"Content-Length": str(10**18)}, b"much"),
        ({"Content-Length": str(10**30)}, b"much"),
    ],
    ids=["nothing", "half", "half a chunk", "no size", "more than its size", "an exabyte", "more than a number"],
)
def test_an_endless_body_gets_an_answer_and_the_connection_is_closed(service, head, body):
    """At four URLs in parallel, because the service waits 2 s for more data of some."""

    def status_and_rest(path: str) -> tuple[int, str | None, bytes]:
        with socket.create_connection(("127.0.0.1", service.port), 30) as connection:
            connection.sendall(head_of("POST", path, head) + body)
            status, kept = read_answer(connection)
            return status // 100, kept, connection.recv(1)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(status_and_rest, [TEXT, "/data/a/b", "/admin/login/", "/nowhere"]))

    assert answers == [(4, "close", b"")] * 4
