"""Read the bytes of a body: length, chunks, gzip, and the size limit for all of them."""

import gzip
import io
import threading
import tracemalloc

import pytest

from config.rest import body
from config.rest.body import BodyReason, UnreadableBody
from config.rest.content import StrictJSONParser

CAP = 1000


def environ(sent: bytes, **more: object) -> dict[str, object]:
    return {"wsgi.input": io.BytesIO(sent), "CONTENT_LENGTH": str(len(sent)), **more}


def chunked(sent: bytes, **more: object) -> dict[str, object]:
    return {"wsgi.input": io.BytesIO(sent), "HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True, **more}


def refusal(of: dict[str, object], **rules: bool) -> BodyReason:
    with pytest.raises(UnreadableBody) as refused:
        body.read(of, max_bytes=CAP, **rules)
    return refused.value.reason


class Unreadable(io.BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        raise AssertionError("a body that says it is too large is not read")


@pytest.mark.fault("E1")
def test_a_body_of_exactly_the_limit_passes_and_one_byte_more_does_not():
    assert body.read(environ(b"x" * CAP), max_bytes=CAP) == b"x" * CAP
    assert refusal(environ(b"x" * (CAP + 1))) is BodyReason.TOO_LARGE


def test_a_length_over_the_limit_is_rejected_unread():
    said = {"wsgi.input": Unreadable(), "CONTENT_LENGTH": str(CAP + 1)}

    assert refusal(said) is BodyReason.TOO_LARGE


@pytest.mark.parametrize("length", ["9" * 30, "9" * 5000])
def test_an_absurd_length_is_too_large(length):
    assert refusal({"wsgi.input": Unreadable(), "CONTENT_LENGTH": length}) is BodyReason.TOO_LARGE


@pytest.mark.parametrize("length", ["", None])
def test_without_length_and_chunks_there_is_no_body(length):
    assert body.read({"wsgi.input": Unreadable(), "CONTENT_LENGTH": length}, max_bytes=CAP) == b""


@pytest.mark.parametrize("length", ["-1", "1.5", "x", "²"])
def test_a_length_that_is_not_a_number_is_rejected(length):
    assert refusal({"wsgi.input": Unreadable(), "CONTENT_LENGTH": length}) is BodyReason.CUT_SHORT


def test_a_broken_connection_is_no_body():
    assert refusal({"wsgi.input": io.BytesIO(b"[]"), "CONTENT_LENGTH": "3"}) is BodyReason.CUT_SHORT


def test_chunks_are_counted_while_they_are_read():
    assert body.read(chunked(b"x" * CAP), max_bytes=CAP, chunked=True) == b"x" * CAP
    assert refusal(chunked(b"x" * (CAP + 1)), chunked=True) is BodyReason.TOO_LARGE


@pytest.mark.fault("E1")
def test_chunks_are_rejected_if_a_length_is_required():
    assert refusal(chunked(b"[]")) is BodyReason.LENGTH_REQUIRED


def test_chunks_are_rejected_if_the_server_does_not_mark_their_end():
    assert refusal(chunked(b"[]", **{"wsgi.input_terminated": False}), chunked=True) is BodyReason.LENGTH_REQUIRED


@pytest.mark.parametrize(
    "sent",
    [
        gzip.compress(b"[1]"),
        gzip.compress(b"[") + gzip.compress(b"1]"),
        gzip.compress(b"[1]") + b"\0" * 70_000,
        gzip.compress(b"[") + b"\0" * 10 + gzip.compress(b"1]") + b"\0",
        gzip.compress(b"[1]") + gzip.compress(b""),
    ],
    ids=["one member", "two members", "padding", "padding between members", "an empty second member"],
)
def test_gzip_is_decompressed(sent):
    coded = environ(sent, HTTP_CONTENT_ENCODING="X-GZip")

    assert body.read(coded, max_bytes=10**6, gzip=True) == b"[1]"


def test_gzip_of_more_than_one_block_is_decompressed():
    plain = bytes(range(256)) * 2000

    assert body.read(environ(gzip.compress(plain), HTTP_CONTENT_ENCODING="gzip"), max_bytes=10**6, gzip=True) == plain


def test_gzip_of_exactly_one_block_of_zeros_is_decompressed():
    for size in (65_535, 65_536, 65_537, 131_072):
        coded = environ(gzip.compress(b"0" * size), HTTP_CONTENT_ENCODING="gzip")

        assert len(body.read(coded, max_bytes=10**6, gzip=True)) == size


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"[]",
        b"\x1f\x8b",
        b"\0" + gzip.compress(b"[]"),
        gzip.compress(b"[]")[:-1],
        gzip.compress(b"[]")[:-6] + b"\0\0\0\0\0\0",
        gzip.compress(b"[]") + b"x",
    ],
    ids=["nothing", "plain", "half a header", "zero bytes first", "cut", "wrong checksum", "rubbish behind"],
)
@pytest.mark.fault("E8")
def test_data_that_is_not_gzip_is_rejected(sent):
    assert refusal(environ(sent, HTTP_CONTENT_ENCODING="gzip"), gzip=True) is BodyReason.BAD_GZIP


@pytest.mark.fault("E8")
def test_a_zip_bomb_is_stopped_at_the_limit():
    bomb = environ(gzip.compress(b"\0" * 50_000_000), HTTP_CONTENT_ENCODING="gzip")

    with pytest.raises(UnreadableBody) as refused:
        body.read(bomb, max_bytes=100_000, gzip=True)

    assert refused.value.reason is BodyReason.TOO_LARGE
    assert bomb["wsgi.input"].read(1) or bomb["wsgi.input"].tell() <= 65_536  # not decompressed to its end


@pytest.mark.parametrize(
    ("coding", "passes"),
    [
        ("", True),
        ("identity", True),
        ("IDENTITY", True),
        ("gzip", True),
        ("x-gzip", True),
        ("GZip", True),
        ("deflate", False),
        ("br", False),
        ("gzip, gzip", False),
        ("identity, gzip", False),
    ],
)
@pytest.mark.fault("E8")
def test_content_codings(coding, passes):
    said = {"HTTP_CONTENT_ENCODING": coding}
    if passes:
        assert body.check_coding(said, allowed=("gzip", "x-gzip")) is None
    else:
        with pytest.raises(UnreadableBody) as refused:
            body.check_coding(said, allowed=("gzip", "x-gzip"))
        assert refused.value.reason is BodyReason.UNKNOWN_CODING


def test_no_coding_is_allowed_unless_it_is_named():
    with pytest.raises(UnreadableBody):
        body.check_coding({"HTTP_CONTENT_ENCODING": "gzip"})


def test_a_large_text_is_never_in_memory_three_times():
    sent = environ(b'{"file": "' + b"QUJD" * 500_000 + b'"}')
    tracemalloc.start()

    value = StrictJSONParser().read_json(sent)

    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert value == {"file": "QUJD" * 500_000}
    assert most < 2.5 * 2_000_000  # as blocks and bytes, bytes and text, or text and value; never three copies


def test_large_bodies_are_handled_one_at_a_time_and_small_ones_do_not_wait():
    second_is_in = threading.Event()

    def enter() -> None:
        with body.one_at_a_time(CAP + 1, large_bytes=CAP):
            second_is_in.set()

    second = threading.Thread(target=enter)
    with body.one_at_a_time(CAP + 1, large_bytes=CAP):
        second.start()
        with body.one_at_a_time(CAP, large_bytes=CAP), body.one_at_a_time(CAP, large_bytes=CAP):
            assert not second_is_in.is_set()
    second.join(timeout=10)

    assert second_is_in.is_set()
