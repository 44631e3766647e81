"""The headers that both areas read: Authorization and Idempotency-Key."""

import gzip

import pytest

from config.rest import idempotency
from config.rest.request import parse_bearer_token


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("Bearer abc", "abc"),
        ("bearer abc", "abc"),
        ("bEaReR  abc", "abc"),
        ("Bearer abc ", "abc"),
        ("Bearer a.b_c-d~e+f/g=", "a.b_c-d~e+f/g="),
        ("", None),
        ("Bearer", None),
        ("Bearer ", None),
        ("BearerX abc", None),
        ("Basic abc", None),
        ("Bearer a b", None),
        ("Bearer\tabc", None),
        ("Bearer é", None),
        ("Bearer a\n", None),
        ("abc", None),
    ],
)
def test_the_grammar_of_the_bearer_header(header, token):
    assert parse_bearer_token(header) == token


@pytest.mark.parametrize("key", ["k", "!", "~", "x" * 255, "a/b?c=%20"])
def test_a_key_of_visible_ascii_is_well_formed(key):
    assert idempotency.is_well_formed(key)


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 256, "a\n", "a\x7f", "a\t"])
def test_a_key_of_other_characters_is_malformed(key):
    assert not idempotency.is_well_formed(key)


def test_a_fingerprint_differs_for_each_byte():
    body = b'[{"n":1}]'

    assert idempotency.fingerprint(gzip.decompress(gzip.compress(body))) == idempotency.fingerprint(body)
    assert idempotency.fingerprint(body) != idempotency.fingerprint(body + b" ")
