"""HAProxy and Caddy answer in the format of the API while no web process runs, and log no query.

tests/config/test_proxies.py runs nginx, in front of a service and without one.
"""

import re
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests
import yaml

from tests.servers import ROOT, Program, accepts, free_port, wait_until

SENDING = {"status_code": 503, "errors": [{"error": "Exception", "message": "Service unavailable"}]}
DATA = {"status": "error", "message": "The service is busy; try again."}
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/usr/local/bin"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    port: int
    log: Path

    def get(self, path: str) -> requests.Response:
        return requests.get(f"http://127.0.0.1:{self.port}{path}", timeout=30, allow_redirects=False)

    def post_of(self, length: int, path: str) -> str:
        """Return the answer to the head of a POST with a body of this length."""
        with socket.create_connection(("127.0.0.1", self.port), 30) as connection:
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            connection.sendall(head.encode() + b"x" * 32768)  # HAProxy reads until its buffer is full
            return b"".join(iter(lambda: connection.recv(65536), b"")).decode()


def running(program: Program, port: int) -> Iterator[Proxy]:
    program.wait_until(lambda: accepts(port))
    yield Proxy(port=port, log=program.log)
    program.stop()


def start_haproxy(folder: Path, web_port: int) -> Iterator[Proxy]:
    """Run HAProxy without TLS in front of a web process."""
    port = free_port()
    text = (ROOT / "deploy/haproxy/haproxy.cfg").read_text()
    text = text[: text.index("# For PgBouncer")]
    replaced = {
        "    bind :80\n": f"    bind 127.0.0.1:{port}\n",
        "    bind :443 ssl crt /etc/haproxy/signalbox.pem alpn h2,http/1.1\n": "",
        "    http-request redirect scheme https code 301 unless { ssl_fc }\n": "",
        "10.0.0.11:8000": f"127.0.0.1:{web_port}",
        "10.0.0.12:8000": f"127.0.0.1:{web_port}",
        "sc_http_req_rate(0) gt 90": "sc_http_req_rate(0) gt 3",
    }
    for ours, tests in replaced.items():
        assert ours in text, ours
        text = text.replace(ours, tests)
    (folder / "haproxy.cfg").write_text(text)
    program = Program("haproxy", "-db", "-f", folder / "haproxy.cfg", log=folder / "log", environment=ENVIRONMENT)
    yield from running(program, port)


def start_caddy(folder: Path, web_port: int) -> Iterator[Proxy]:
    """Run Caddy without TLS in front of a web process."""
    port = free_port()
    text = (ROOT / "deploy/caddy/Caddyfile").read_text()
    text = text.replace("\nsignalbox.example.org {", f"\nhttp://127.0.0.1:{port} {{")
    text = text.replace("lb_try_duration 5s", "lb_try_duration 0s")
    text = re.sub(r"^\{\n", "{\n\tadmin off\n", text, flags=re.MULTILINE)
    (folder / "Caddyfile").write_text(text)
    (folder / "upstreams").write_text(f"to 127.0.0.1:{web_port}")
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile"]
    program = Program(*command, log=folder / "log", environment={**ENVIRONMENT, "HOME": str(folder)})
    yield from running(program, port)


@pytest.fixture(scope="module")
def haproxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    yield from start_haproxy(tmp_path_factory.mktemp("haproxy"), free_port())


@pytest.fixture(scope="module")
def caddy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    yield from start_caddy(tmp_path_factory.mktemp("caddy"), free_port())


@pytest.mark.parametrize("proxy", ["haproxy", "caddy"])
@pytest.mark.parametrize(("path", "body"), [("/v2/notifications", SENDING), ("/data/group/type", DATA)])
def test_the_answer_has_the_format_of_the_api(proxy: str, path: str, body: object, request) -> None:
    answer = request.getfixturevalue(proxy).get(f"{path}?key=secret-word")

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == body
    assert "secret-word" not in request.getfixturevalue(proxy).log.read_text()


def test_haproxy_refuses_bodies_of_more_than_64_mebibytes(haproxy: Proxy) -> None:
    answers = [haproxy.post_of(65 * 2**20, path) for path in ("/v2/notifications/email", "/data/group/type")]

    assert all(answer.startswith("HTTP/1.1 413 ") for answer in answers)
    assert '"errors":[' in answers[0]
    assert '"status":"error"' in answers[1]


def test_haproxy_limits_sign_in_and_pages_of_files_but_not_the_apis(haproxy: Proxy) -> None:
    answers = [haproxy.get("/d/a-file").status_code for _ in range(4)]

    assert answers[-1] == 429
    assert haproxy.get("/admin/login/").status_code == 429
    assert haproxy.get("/v2/notifications").status_code == 503
    wait_until(lambda: "GET /d/a-file 429" in haproxy.log.read_text())  # it writes the line after the response


def test_the_health_check_of_compose_finds_caddy(tmp_path: Path) -> None:
    """Caddy 2.6 answers HEAD, the method of `wget --spider`, with 405."""
    port = free_port()
    (tmp_path / "Caddyfile").write_text(f"{{\n\tadmin 127.0.0.1:{port}\n}}\n")
    compose = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())
    check = [part.replace(":2019/", f":{port}/") for part in compose["services"]["proxy"]["healthcheck"]["test"][1:]]

    command = ["caddy", "run", "--adapter", "caddyfile", "--config", tmp_path / "Caddyfile"]
    program = Program(*command, log=tmp_path / "log", environment={**ENVIRONMENT, "HOME": str(tmp_path)})
    program.wait_until(lambda: accepts(port))
    checked = subprocess.run(check, capture_output=True, check=False)
    program.stop()

    assert checked.returncode == 0, checked.stderr
