"""Calls to URLs that a user has set, on real sockets: a rejected URL is never connected to.

The tests pass their own function that resolves names. Source: docs/reference/security.md §6; docs/testing.md, H5.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from config.outbound import http_client, targets
from config.outbound.http_client import CallFailed
from config.outbound.targets import UnsafeUrl
from tests.receivers import RawServer, Receiver, drip, stay_silent, write_certificate

Listener = RawServer


@pytest.fixture
def listener() -> Iterator[Listener]:
    """A server in the private network that no call may reach."""
    with RawServer(stay_silent) as server:
        yield server


@pytest.fixture
def nothing_allowed(settings: Any) -> None:
    settings.OUTBOUND_ALLOWED_NETWORKS = []


def naming(*addresses: str) -> Callable[[str, int], list[str]]:
    return lambda host, port: list(addresses)


def post(url: str, **options: Any) -> http_client.Answer:
    return http_client.post(url, b"{}", {"Content-Type": "application/json"}, **{"seconds": 5, **options})


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/",
        "https://127.0.0.1:{port}/",
        "https://localhost:{port}/",
        "https://LOCALHOST.:{port}/",
        "https://sub.localhost:{port}/",
        "https://2130706433:{port}/",
        "https://0x7f000001:{port}/",
        "https://0177.0.0.1:{port}/",
        "https://127.1:{port}/",
        "https://[::1]:{port}/",
        "https://[::ffff:127.0.0.1]:{port}/",
        "https://[::ffff:7f00:1]:{port}/",
        "https://[64:ff9b::7f00:1]:{port}/",
        "https://0.0.0.0:{port}/",
        "https://user@127.0.0.1:{port}/",
        "https://example.org\\@127.0.0.1:{port}/",
        "https://127.0.0.1:{port}/\r\nHost: example.org",
    ],
)
@pytest.mark.usefixtures("nothing_allowed")
@pytest.mark.fault("H5")
def test_a_url_into_a_private_network_is_rejected_at_save_and_at_call_without_a_connection(url, listener):
    url = url.format(port=listener.port)

    with pytest.raises(UnsafeUrl):
        targets.check_url(url)
    with pytest.raises(UnsafeUrl):
        http_client.check_where_it_leads(url)
    with pytest.raises(UnsafeUrl):
        post(url)

    assert listener.connections == 0


@pytest.mark.parametrize(
    "addresses",
    [
        pytest.param(["127.0.0.1"], id="private"),
        pytest.param(["93.184.216.34", "127.0.0.1"], id="public, then private"),
        pytest.param(["127.0.0.1", "93.184.216.34"], id="private, then public"),
        pytest.param(["169.254.169.254"], id="metadata of a cloud"),
        pytest.param(["::ffff:127.0.0.1"], id="mapped"),
        pytest.param(["64:ff9b::7f00:1"], id="NAT64"),
        pytest.param(["fe80::1%lo"], id="link-local with its zone"),
        pytest.param(["100.64.0.1"], id="shared by a carrier"),
    ],
)
@pytest.mark.usefixtures("nothing_allowed")
def test_a_name_is_rejected_if_one_of_its_addresses_is_not_public(addresses, listener):
    url = f"https://hooks.example.org:{listener.port}/"

    with pytest.raises(UnsafeUrl):
        http_client.check_where_it_leads(url, resolve=naming(*addresses))
    with pytest.raises(UnsafeUrl):
        post(url, resolve=naming(*addresses))

    assert listener.connections == 0


def test_a_name_is_resolved_once_so_that_dns_rebinding_fails():
    asked = []

    def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.2"]

    with Receiver(200) as receiver:
        with pytest.raises(UnsafeUrl):  # http is for allowed networks only, and a name is checked when it is resolved
            post(f"http://hooks.example.org:{receiver.port}/", resolve=rebinding)
        assert asked == []
        answer = post(receiver.url, resolve=rebinding)

    assert (answer.status, asked, len(receiver.posted)) == (200, ["127.0.0.1"], 1)


@pytest.mark.usefixtures("nothing_allowed")
def test_a_name_is_checked_again_at_every_call(listener):
    url = f"https://hooks.example.org:{listener.port}/"
    http_client.check_where_it_leads(url, resolve=naming("93.184.216.34"))

    with pytest.raises(UnsafeUrl):
        post(url, resolve=naming("127.0.0.1"))

    assert listener.connections == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.fault("H5")
def test_a_redirect_is_not_followed(status, listener):
    with Receiver(status, location=f"http://127.0.0.1:{listener.port}/latest/meta-data") as receiver:
        answer = post(receiver.url)

    assert (answer.status, listener.connections) == (status, 0)


def test_proxies_of_the_environment_are_not_used(monkeypatch, listener):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{listener.port}")

    with Receiver(200) as receiver:
        assert post(receiver.url).status == 200

    assert (len(receiver.posted), listener.connections) == (1, 0)


def test_a_post_arrives_unchanged_and_returns_the_answer():
    with Receiver(201, reply=b"thanks") as receiver:
        answer = http_client.post(f"{receiver.url}/ü?a=ß&b=%20", b'{"id": "1"}', {"Authorization": "Bearer token-1"})

    [posted] = receiver.posted
    assert (answer.status, answer.body) == (201, b"thanks")
    assert (posted.path, posted.body) == ("/callback/%C3%BC?a=%C3%9F&b=%20", b'{"id": "1"}')
    assert posted.headers["Authorization"] == "Bearer token-1"
    assert posted.headers["Host"] == f"127.0.0.1:{receiver.port}"
    assert posted.headers["User-Agent"] == "Signalbox"


def test_an_answer_is_cut_at_64_kib():
    with Receiver(200, reply=b"x" * 1_000_000) as receiver:
        assert len(post(receiver.url).body) == http_client.MAX_ANSWER_BYTES


def test_a_status_counts_even_if_its_body_never_ends():
    def promise_more(peer: Any, closing: threading.Event) -> None:
        peer.recv(1000)
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nwell")
        closing.wait(30)

    with RawServer(promise_more) as server:
        answer = post(server.url, seconds=2)

    assert (answer.status, answer.body) == (200, b"well")


def test_a_dripping_body_after_connection_close_is_cut_off_in_time():
    def drip_a_body(peer: Any, closing: threading.Event) -> None:
        peer.recv(1000)
        peer.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        for _ in range(100):
            peer.sendall(b".")
            closing.wait(0.05)
        peer.sendall(b"end")

    with RawServer(drip_a_body) as server:
        answer = post(server.url, seconds=0.4)

    assert (answer.status, answer.body.strip(b".")) == (200, b"")


@pytest.mark.parametrize("converse", [drip, stay_silent])
def test_a_dripping_or_silent_peer_is_cut_off_in_time(converse):
    with RawServer(converse) as server, pytest.raises(CallFailed, match=r"no answer within 0\.4 s"):
        post(server.url, seconds=0.4)


def test_a_look_up_that_hangs_times_out():
    asked = threading.Event()

    def hang(host: str, port: int) -> list[str]:
        asked.wait(30)
        return []

    with pytest.raises(CallFailed, match="could not be resolved in time"):
        post("https://hooks.example.org/", seconds=0.3, resolve=hang)
    asked.set()


def test_a_name_that_does_not_exist_fails_with_a_reason():
    def nowhere(host: str, port: int) -> list[str]:
        raise OSError(-2, "Name or service not known")

    with pytest.raises(CallFailed, match="could not be resolved"):
        post("https://hooks.example.org/", resolve=nowhere)
    with pytest.raises(CallFailed, match="has no IP address"):
        post("https://hooks.example.org/", resolve=naming())


def test_a_refused_connection_fails_with_a_reason():
    with RawServer(stay_silent) as server:
        url = server.url

    with pytest.raises(CallFailed, match="the connection was refused"):
        post(url)


def close(peer: Any, closing: threading.Event) -> None:
    peer.recv(1000)


def talk_nonsense(peer: Any, closing: threading.Event) -> None:
    peer.recv(1000)
    peer.sendall(b"220 mail.example.org ready\r\n")


@pytest.mark.parametrize("converse", [close, talk_nonsense])
def test_an_invalid_answer_is_a_failure(converse):
    with RawServer(converse) as server, pytest.raises(CallFailed, match="the connection failed"):
        post(server.url)


class TestOverTls:
    """The name is used for SNI, the certificate and Host; the connection goes to the resolved IP address."""

    @pytest.fixture
    def certificate(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        file = tmp_path / "receiver.pem"
        write_certificate(file, ["hooks.example.org", "xn--bcher-kva.example"])
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        http_client.tls_context.cache_clear()
        yield file
        http_client.tls_context.cache_clear()

    @pytest.mark.parametrize("host", ["hooks.example.org", "bücher.example"])
    def test_a_name_is_called_at_its_resolved_address(self, certificate, host):
        with Receiver(200, certificate=certificate) as receiver:
            answer = post(f"https://{host}:{receiver.port}/x", resolve=naming("127.0.0.1"))

        [posted] = receiver.posted
        assert answer.status == 200
        assert posted.headers["Host"] == f"{host.encode('idna').decode()}:{receiver.port}"

    def test_the_next_address_is_tried_if_one_does_not_answer(self, certificate):
        with Receiver(200, certificate=certificate) as receiver:
            url = f"https://hooks.example.org:{receiver.port}/x"

            assert post(url, resolve=naming("127.0.0.9", "127.0.0.1")).status == 200

    def test_a_certificate_for_another_name_is_rejected(self, certificate):
        with Receiver(200, certificate=certificate) as receiver:
            with pytest.raises(CallFailed, match="certificate is not valid"):
                post(f"https://other.example.org:{receiver.port}/x", resolve=naming("127.0.0.1"))

            assert receiver.posted == []

    def test_a_dripping_handshake_is_cut_off_in_time(self):
        def drip_tls(peer: Any, closing: threading.Event) -> None:
            peer.sendall(b"\x16\x03\x03\x3f\xff")  # a record of 16 kB that arrives byte by byte
            while not closing.wait(0.05):
                peer.sendall(b"\x02")

        with RawServer(drip_tls) as server, pytest.raises(CallFailed, match=r"no answer within 0\.4 s"):
            post(f"https://hooks.example.org:{server.port}/", seconds=0.4, resolve=naming("127.0.0.1"))
