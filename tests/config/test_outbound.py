"""Which URLs a user may set for calls from here, judged without network. Source: Security and reliability §6."""

import ipaddress

import pytest

from config import outbound
from config.outbound import UnsafeUrl


@pytest.fixture(autouse=True)
def _no_exceptions(settings):
    settings.OUTBOUND_ALLOWED_NETWORKS = []


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.org/status?x=1#part",
        "https://hooks.example.org:8443/",
        "https://93.184.216.34/",
        "https://[2606:2800:220:1::1]/",
        "https://bücher.example/",
    ],
)
def test_a_public_https_address_passes(url):
    outbound.check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example.org",
        "http://hooks.example.org/",
        "ftp://hooks.example.org/",
        "https://",
        "https:///path",
        "https://user@hooks.example.org/",
        "https://user:secret@hooks.example.org/",
        "https://hooks.example.org\\@evil.example/",
        "https://hooks.example.org/a b",
        "https://hooks.example.org/\r\nHost: x",
        "https://hooks.example.org/\x00",
        "https://hooks.example.org/\u202e",
        "https://hooks.example.org:0/",
        "https://hooks.example.org:99999/",
        "https://[::1/",
        "https://localhost/",
        "https://127.0.0.1/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://100.64.0.1/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://224.0.0.1/",
        "https://[ff02::1]/",
        "https://0.0.0.0/",
        "https://example.org/" + "x" * 2000,
    ],
)
def test_anything_else_is_refused(url):
    with pytest.raises(UnsafeUrl):
        outbound.check_url(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080/", "http://localhost/", "https://127.0.0.1/"])
def test_an_allowed_network_may_be_called_by_http_too(settings, url):
    settings.OUTBOUND_ALLOWED_NETWORKS = ["127.0.0.0/8"]

    outbound.check_url(url)


def test_an_allowed_network_opens_no_other(settings):
    settings.OUTBOUND_ALLOWED_NETWORKS = ["127.0.0.0/8"]

    with pytest.raises(UnsafeUrl):
        outbound.check_url("http://10.0.0.1/")


@pytest.mark.parametrize("address", ["::127.0.0.1", "64:ff9b::7f00:1", "224.0.0.1", "ff02::1", "100.64.0.1"])
def test_addresses_that_python_alone_would_call_public_or_not_private_are_neither(address):
    assert not outbound.is_public(ipaddress.ip_address(address))
