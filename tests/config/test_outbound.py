"""Which callback URLs users may set, checked without network. Source: docs/reference/security.md §6."""

import ipaddress

import pytest

from config.outbound import targets
from config.outbound.targets import UnsafeUrl


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
def test_a_public_https_url_passes(url):
    targets.check_url(url)


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
def test_every_other_url_is_rejected(url):
    with pytest.raises(UnsafeUrl):
        targets.check_url(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080/", "http://localhost/", "https://127.0.0.1/"])
def test_an_allowed_network_may_be_called_over_http(settings, url):
    settings.OUTBOUND_ALLOWED_NETWORKS = ["127.0.0.0/8"]

    targets.check_url(url)


def test_an_allowed_network_allows_no_other(settings):
    settings.OUTBOUND_ALLOWED_NETWORKS = ["127.0.0.0/8"]

    with pytest.raises(UnsafeUrl):
        targets.check_url("http://10.0.0.1/")


@pytest.mark.parametrize(
    "address",
    [
        *("::127.0.0.1", "64:ff9b::7f00:1", "224.0.0.1", "ff02::1", "100.64.0.1"),
        *("64:ff9b:1::1", "64:ff9b:1:a00:1::", "::ffff:10.0.0.1", "::ffff:0:10.0.0.1", "::ffff:168.63.129.16"),
        *("2002:a00:1::", "2002:5db8:d822::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:20::1", "2001:2::1"),
        *("fec0::1", "feff::1", "fe80::1", "fc00::1", "fd00:ec2::254", "100::1", "100:0:0:1::1", "5f00::1"),
        *("2001:db8::1", "3fff::1", "3fff:fff:ffff::1", "4000::1", "::", "::1"),
        *("168.63.129.16", "192.0.0.1", "192.0.0.9", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1"),
        *("169.254.169.254", "100.100.100.200", "198.51.100.1", "203.0.113.1", "240.0.0.1", "255.255.255.255"),
    ],
)
def test_special_addresses_that_python_calls_public_are_not_public(address):
    assert not targets.is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address", ["168.63.129.17", "192.0.1.1", "93.184.216.34", "2606:2800:220:1::1", "2001:200::1"]
)
def test_their_neighbours_are_public(address):
    assert targets.is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    ("first", "second", "are_one"),
    [
        ("https://a.example/x", "https://A.EXAMPLE.:443/y?z=1", True),
        ("https://a.example/", "https://b.example/", False),
        ("https://a.example/", "https://sub.a.example/", False),
        ("https://a.example/", "https://a.example:8443/", False),
        ("https://bücher.example/", "https://xn--bcher-kva.example/", True),
    ],
)
def test_an_origin_is_scheme_host_and_port(first, second, are_one):
    assert (targets.origin(first) == targets.origin(second)) is are_one
