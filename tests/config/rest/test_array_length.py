"""Count the elements of an array without parsing them."""

import pytest

from config.rest import array_length
from config.rest.array_length import TooManyElements

MOST = 10
ELEMENTS = {
    "objects": "{}",
    "numbers": "1",
    "objects with objects": '{"a": [{}, {"b": [1, 2, 3]}], "c": "},{"}',
    "texts with commas": '"a,b,[c,{"',
    "lone surrogates": '"\\ud800"',
    "vast numbers": "9" * 5000,
    "infinities": "NaN",
    "arrays": "[1, 2, 3]",
}


def array(elements: list[str], *, start: str = "[", comma: str = ",", end: str = "]") -> bytes:
    return f"{start}{comma.join(elements)}{end}".encode()


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS)
@pytest.mark.parametrize(
    "form",
    [{}, {"start": " \n[\t", "comma": " ,\r\n", "end": " ] "}, {"start": "\ufeff["}],
    ids=["tight", "wide", "mark"],
)
def test_one_more_than_allowed_is_too_many(element, form):
    array_length.check(array([element] * MOST, **form), max_elements=MOST)

    with pytest.raises(TooManyElements):
        array_length.check(array([element] * (MOST + 1), **form), max_elements=MOST)


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS)
def test_an_odd_element_does_not_hide_the_others(element):
    with pytest.raises(TooManyElements):
        array_length.check(array([element, *["{}"] * MOST]), max_elements=MOST)


def test_counting_stops_at_the_first_element_over_the_limit():
    with pytest.raises(TooManyElements):
        array_length.check(array(["{}"] * (MOST + 1), end=", no JSON"), max_elements=MOST)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b",,,,,,,,,,,,",
        b'{"a": [1,2,3,4,5,6,7,8,9,10,11,12]}',
        b"[1,2,3,4,5,6,7,8,9,10,]x",
        b"[[1,2,3,4,5,6,7,8,9,10,11,12]]",
        b"[" * 100_000 + b"," * 20,
        b"\xff,,,,,,,,,,,,,",
        b'"a,b,c,d,e,f,g,h,i,j,k,l"',
    ],
)
def test_other_values_are_left_to_the_parser(data):
    array_length.check(data, max_elements=MOST)
