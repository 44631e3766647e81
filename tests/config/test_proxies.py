"""Run the configurations of nginx and Caddy in `deploy` with the real programs."""

import os
import re
import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import pytest
import requests
from requests.adapters import HTTPAdapter

from tests.config.test_house import PRODUCTION
from tests.deploy.test_proxies_without_service import start_caddy, start_haproxy
from tests.servers import ROOT, Program, accepts, free_port, wait_until

HOST = "signalbox.example.org"
CALLER = "127.0.0.2"  # the client's IP address: neither the proxy's nor one in a header
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")


class Nginx:
    """nginx with the files of `deploy`, except for paths, ports and shorter time-outs."""

    def __init__(self, folder: Path, web_port: int) -> None:
        assert NGINX is not None
        self.certificate = str(folder / "cert")
        self.folder, self.http, self.https = folder, free_port(), free_port()
        self.replaced = {
            "listen 80;": f"listen 127.0.0.1:{self.http};",
            "listen 443 ssl;": f"listen 127.0.0.1:{self.https} ssl;",
            "/etc/ssl/signalbox.crt": str(folder / "cert"),
            "/etc/ssl/private/signalbox.key": str(folder / "key"),
            "/var/log/nginx/": f"{folder}/",
            "127.0.0.1:8001 max_fails": f"127.0.0.1:{web_port} max_fails",
            "127.0.0.1:8002 max_fails": f"127.0.0.1:{web_port} max_fails",
            "client_header_timeout 10s": "client_header_timeout 1s",
            "client_body_timeout 30s": "client_body_timeout 1s",
        }
        make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        names = [
            "-subj",
            f"/CN={HOST}",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            str(folder / "key"),
            "-out",
            str(folder / "cert"),
        ]
        subprocess.run([*make, *names], check=True, capture_output=True)
        site = "".join((ROOT / "deploy/nginx" / name).read_text() for name in ("upstream.conf", "signalbox.conf"))
        for documented, ours in self.replaced.items():
            assert documented in site, documented
            site = site.replace(documented, ours)
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f"{kind}_temp_path {folder / kind};\n" for kind in kinds)
        user = "user root;\n" if os.geteuid() == 0 else ""
        self.config = folder / "nginx.conf"
        self.config.write_text(
            f"{user}daemon off;\npid {folder / 'pid'};\nerror_log {folder / 'start.log'};\n"
            f"events {{ worker_connections 128; }}\nhttp {{\n{temporary}{site}\n}}\n"
        )

    def start(self) -> Program:
        program = Program(str(NGINX), "-c", str(self.config), log=self.folder / "nginx.out")
        program.wait_until(lambda: accepts(self.https))
        return program

    def connect(self) -> ssl.SSLSocket:
        anyone = ssl._create_unverified_context()  # noqa: S323  a temporary certificate
        return anyone.wrap_socket(socket.create_connection(("127.0.0.1", self.https), 30), server_hostname=HOST)


class _FromCaller(HTTPAdapter):
    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, source_address=(CALLER, 0), **options)


@pytest.fixture(scope="module")
def service(start_service):
    return start_service(
        **{**PRODUCTION, "BASE_URL": f"https://{HOST}"}, TRUSTED_PROXIES="1", ALLOWED_HOSTS=f"{HOST},127.0.0.1"
    )


@pytest.fixture(scope="module")
def nginx(service, tmp_path_factory):
    nginx = Nginx(tmp_path_factory.mktemp("nginx"), service.port)
    program = nginx.start()
    yield nginx
    program.stop()


def session_with(nginx: Nginx) -> requests.Session:
    session = requests.Session()
    session.mount("https://", _FromCaller())
    session.trust_env = False  # the environment may name other certificates
    session.verify = nginx.certificate
    session.headers["Host"] = HOST
    session.url = f"https://127.0.0.1:{nginx.https}"
    return session


@pytest.fixture
def session(nginx):
    return session_with(nginx)


class TestNginx:
    def test_it_accepts_the_configuration(self, nginx):
        checked = subprocess.run([NGINX, "-t", "-c", nginx.config], capture_output=True, text=True)

        assert checked.returncode == 0, checked.stderr
        assert "warn" not in checked.stderr

    def test_headers_of_the_caller_do_not_set_scheme_and_address(self, service, session):
        forged = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http", "Forwarded": "for=203.0.113.9"}
        page = session.get(f"{session.url}/admin/login/", headers=forged)
        form = {
            "username": "nobody",
            "password": "a-wrong-password",
            "csrfmiddlewaretoken": re.findall(r'csrfmiddlewaretoken" value="(\w+)', page.text)[0],
        }
        headers = {**forged, "Referer": f"https://{HOST}/admin/login/"}
        tried = session.post(f"{session.url}/admin/login/", data=form, headers=headers)
        show = "from config.console.models import AuditEvent as E; print(*E.objects.values_list('ip_address'))"
        stored = service.manage("shell", "--no-imports", "-c", show).stdout

        assert (page.status_code, tried.status_code) == (200, 200)
        assert CALLER in stored
        assert "203.0.113.9" not in stored
        assert "Server" not in page.headers or page.headers["Server"] == "nginx"

    def test_plain_http_is_redirected_to_https(self, nginx):
        answer = requests.get(
            f"http://127.0.0.1:{nginx.http}/docs/?a=b", headers={"Host": HOST}, timeout=30, allow_redirects=False
        )

        assert (answer.status_code, answer.headers["Location"]) == (301, f"https://{HOST}/docs/?a=b")

    @pytest.mark.parametrize("path", ["/v2/notifications/email", "/data/group/type"])
    def test_a_body_that_is_too_large_is_413_in_the_shape_of_the_api(self, nginx, path):
        with nginx.connect() as connection:
            connection.sendall(f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {65 * 2**20}\r\n\r\n".encode())
            answer = connection.recv(65536).decode()
        assert answer.startswith("HTTP/1.1 413 ")
        assert ('"errors":[' if path.startswith("/v2") else '"status":"error"') in answer

    def test_a_caller_that_sends_too_slowly_is_cut_off(self, nginx):
        head = f"Host: {HOST}\r\n"
        for begun in (f"GET / HTTP/1.1\r\n{head}", f"POST / HTTP/1.1\r\n{head}Content-Length: 9\r\n\r\n1"):
            with nginx.connect() as connection:
                connection.sendall(begun.encode())
                received = b"".join(iter(lambda: connection.recv(65536), b""))
            assert not received or received.startswith(b"HTTP/1.1 408 ")

    def test_a_query_is_not_written_to_a_log(self, nginx, session):
        session.get(f"{session.url}/d/nothing?key=secret-word")

        def logs() -> str:
            return "".join(path.read_text() for path in nginx.folder.glob("*.log"))

        wait_until(lambda: "GET /d/nothing 404" in logs())  # nginx writes the line after the response
        assert "secret-word" not in logs()

    def test_without_a_web_process_the_answer_has_the_shape_of_the_api(self, tmp_path):
        alone = Nginx(tmp_path, free_port())
        program = alone.start()
        try:
            session = session_with(alone)
            paths = ("/v2/notifications", "/data/group/type")
            answers = [session.get(f"{session.url}{path}", timeout=30) for path in paths]
        finally:
            program.stop()

        assert [(answer.status_code, answer.headers["Retry-After"]) for answer in answers] == [(503, "5")] * 2
        assert answers[0].json()["errors"] == [{"error": "Exception", "message": "Service unavailable"}]
        assert answers[1].json()["status"] == "error"


@pytest.mark.parametrize("start", [start_haproxy, start_caddy])
def test_other_proxies_find_the_web_process_by_its_check_and_pass_requests_on(start, service, tmp_path):
    """The check needs the host name of the service, as other names get a 400."""
    running = start(tmp_path, service.port)
    proxy = next(running)

    def get(path: str) -> requests.Response:
        headers = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http"}
        return requests.get(f"http://127.0.0.1:{proxy.port}{path}", headers=headers, timeout=30, allow_redirects=False)

    wait_until(lambda: get("/_status/serving").status_code == 200)
    answer = get("/v2/nothing")
    for _ in running:
        pass

    assert answer.status_code == (404 if start is start_haproxy else 403)  # Caddy tells that this test has no TLS
    assert answer.json()["errors"]
    assert "Server" not in answer.headers


def test_caddy_accepts_the_configuration(tmp_path):
    checked = subprocess.run(
        ["caddy", "validate", "--adapter", "caddyfile", "--config", ROOT / "deploy/caddy/Caddyfile"],
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/usr/local/bin"},
    )

    assert checked.returncode == 0, checked.stderr
    assert "Valid configuration" in checked.stdout + checked.stderr
    assert "not formatted" not in checked.stderr
