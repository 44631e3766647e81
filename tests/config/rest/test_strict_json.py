"""Test which bytes each area accepts as JSON."""

import contextlib
import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.rest import strict_json
from config.rest.strict_json import JsonReason, UnreadableJSON


def loads(data: bytes, *, skip_mark: bool = False, storable: bool = True) -> object:
    return strict_json.loads(data, skip_mark=skip_mark, storable=storable)


NOT_JSON = [
    b"[1,]",
    b'{"a":1,}',
    b"[1] [2]",
    b"[1]x",
    b"{'a':1}",
    b"// c\n[]",
    b"NaN",
    b"[Infinity]",
    b"[-Infinity]",
    b"[+1]",
    b"[01]",
    b"[1.]",
    b"[True]",
    b'["a\nb"]',
    b'["\\q"]',
    b'["a',
    b"[",
    b"]",
    b" ",
    b"\x0b[]",
    b"\xc2\xa0[]",
    b"[" * 100_000,
    b"[" * 100_000 + b"]" * 100_000,
    b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    b"{}" * 100_000,
    b"[}" * 41,
]


@pytest.mark.parametrize("data", NOT_JSON, ids=lambda data: repr(data[:20]))
@pytest.mark.parametrize("storable", [True, False], ids=["storable", "lenient"])
@pytest.mark.fault("E6", "E7")
def test_data_that_is_not_json_is_rejected(data, storable):
    with pytest.raises(UnreadableJSON) as refused:
        loads(data, storable=storable)

    assert refused.value.reason is JsonReason.NOT_JSON


@pytest.mark.parametrize(
    "data", [b'["\xff"]', b'["\xed\xa0\x80"]', b'["\xc0\xaf"]', "[1]".encode("utf-16"), '["é"]'.encode("latin-1")]
)
@pytest.mark.fault("E6", "E7")
def test_data_that_is_not_utf8_is_rejected(data):
    with pytest.raises(UnreadableJSON) as refused:
        loads(data)

    assert refused.value.reason is JsonReason.NOT_UTF8


def test_no_bytes_are_an_empty_body():
    with pytest.raises(UnreadableJSON) as refused:
        loads(b"")

    assert refused.value.reason is JsonReason.EMPTY


def test_an_error_of_grammar_has_a_place():
    with pytest.raises(UnreadableJSON) as refused:
        loads(b'[1,\n "a" "b"]')

    assert refused.value.place == "line 2 column 6"


def test_a_byte_order_mark_is_skipped_or_refused():
    assert loads(b"\xef\xbb\xbf[1]", skip_mark=True) == [1]
    with pytest.raises(UnreadableJSON):
        loads(b"\xef\xbb\xbf[1]")


@pytest.mark.fault("E4")
def test_forty_one_levels_are_too_deep_unless_the_caller_checks_itself():
    deep = b"[" * 41 + b"]" * 41

    with pytest.raises(UnreadableJSON):
        loads(deep)
    assert loads(deep, storable=False)


def test_forty_levels_pass_and_brackets_in_strings_do_not_count():
    text = "[" * 500 + '\\"' + "{" * 500

    assert loads(b"[" * 40 + b"]" * 40)
    assert loads(f'["{text}", [{{}}]]'.encode()) == [text.replace('\\"', '"'), [{}]]
    assert loads(b'["' + b"[" * 500 + b'", [{}]]') == ["[" * 500, [{}]]


@pytest.mark.fault("E3")
def test_the_last_of_two_equal_names_wins():
    assert loads(b'{"a":1,"a":{"b":1,"b":2}}') == {"a": {"b": 2}}


def test_whole_numbers_of_4300_digits_are_exact_and_one_digit_more_is_out_of_range():
    assert loads(b"-" + b"9" * 4300) == -(10**4300 - 1)
    with pytest.raises(UnreadableJSON):
        loads(b"[" + b"9" * 4301 + b"]")
    assert loads(b"[1," + b"9" * 4301 + b",-" + b"9" * 4301 + b"]", storable=False) == [1, math.inf, math.inf]


@pytest.mark.fault("E2")
def test_numbers_out_of_range_are_rejected_or_infinite():
    with pytest.raises(UnreadableJSON):
        loads(b"[1e400]")
    assert loads(b"[1e400]", storable=False) == [math.inf]
    assert loads(b"[1e-400]") == [0.0]


@pytest.mark.parametrize("escape", [b"\\u0000", b"\\ud800", b"\\uDFFF", b"\\udc00\\ud800"])
@pytest.mark.parametrize("around", [b'["a%s"]', b'{"a%s":1}', b'[[{"a":{"%s":null}}]]'], ids=["value", "name", "deep"])
@pytest.mark.fault("E5")
def test_texts_that_a_database_cannot_store_are_rejected(around, escape):
    with pytest.raises(UnreadableJSON):
        loads(around % escape)
    assert loads(around % escape, storable=False)


@pytest.mark.parametrize("text", [b'"\\ud83d\\ude00"', b'"\\\\u0000"', b'"\\\\ud800"', b'"\\u0001"'])
def test_texts_that_only_look_like_such_escapes_pass(text):
    assert loads(text) == loads(text, storable=False)


@pytest.mark.parametrize("unit", [b'"', b"\\", b'\\"', b'"\\'])
def test_two_megabytes_of_quotes_and_backslashes_take_linear_time(unit):
    started = time.process_time()

    with pytest.raises(UnreadableJSON):
        loads(b"[" * 41 + unit * (2_000_000 // len(unit)))

    assert time.process_time() - started < 5  # a quadratic search would take hours


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=20,
)


@given(value=values, storable=st.booleans())
def test_every_json_value_is_read_back(value, storable):
    data = json.dumps(value).encode()

    assert loads(data, storable=storable) == value


@given(data=st.binary(max_size=60), storable=st.booleans())
def test_any_bytes_are_a_value_or_rejected(data, storable):
    with contextlib.suppress(UnreadableJSON):
        json.dumps(loads(data, storable=storable, skip_mark=True))


EDGES = [
    *("0", "-0", "-0.0", "0.1", "1e23", "5e-324", "2e-324", "1.7976931348623157e308", "1.7976931348623159e308"),
    *("9007199254740993", "9007199254740993.0", "18446744073709551616", "123456789012345678901234567890e-3"),
]
numbers = st.from_regex(r"-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)


@given(number=st.sampled_from(EDGES) | numbers)
def test_a_number_is_the_one_the_standard_library_reads(number):
    assert repr(loads(f"[{number}]".encode(), storable=False)) == repr(json.loads(f"[{number}]"))


escaped = st.lists(
    st.sampled_from(['\\"', "\\/", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\ud800", "\\u0000", "é", "😀", "\x7f"])
)


@given(text=escaped.map("".join))
def test_a_text_is_the_one_the_standard_library_reads(text):
    assert loads(f'["{text}"]'.encode(), storable=False) == json.loads(f'["{text}"]')
