"""Requests that the web server cannot parse get neither a page nor an echo of their text."""

import json
import socket

import pytest

UNREADABLE = {
    "no request line": (b"rubbish\r\n\r\n", 400),
    "a header without a name": (b"GET /v2/notifications HTTP/1.1\r\nHost: x\r\n: secret-word\r\n\r\n", 400),
    "two lengths": (
        b"POST /data/a/b HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        400,
    ),
    "a length that is no number": (
        b"POST /v2/notifications/sms HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
        400,
    ),
    "a negative length": (b"POST /data/a/b HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
    "an address of 9 KB": (b"GET /v2/" + b"secret-word" * 850 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    "200 headers": (b"GET /v2 HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
    "an escape sequence": (b"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: \x1b[31msecret-word\r\n\r\n", 400),
}


def answer_to(service, request: bytes) -> tuple[int, dict[str, str], bytes]:
    with socket.create_connection(("127.0.0.1", service.port), 10) as connection:
        connection.sendall(request)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode("ascii").split("\r\n")
    return int(status.split(" ")[1]), dict(line.lower().split(": ", 1) for line in lines), body


@pytest.mark.parametrize(("request_bytes", "status"), UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.fault("E1")
def test_the_answer_has_the_error_shape_of_its_path(service, request_bytes, status):
    code, headers, body = answer_to(service, request_bytes)

    error = json.loads(body)
    assert code == status
    assert headers["content-type"] == "application/json"
    assert headers["x-content-type-options"] == "nosniff"
    assert error.get("status") == "error" or (error["status_code"], bool(error["errors"][0]["message"])) == (code, True)
    assert b"secret-word" not in body
    assert "secret-word" not in service.web.log.read_text()
