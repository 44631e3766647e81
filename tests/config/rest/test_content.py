"""The fast renderer writes the same bytes as Django REST framework's."""

from collections import OrderedDict

import pytest
from django.utils.functional import lazystr
from django.utils.safestring import mark_safe
from rest_framework.renderers import JSONRenderer

from config.rest.content import QuickJSONRenderer
from notifications.models import Status

CHARACTERS = "".join(chr(code) for code in (*range(0x3000), *range(0xE000, 0xE010), 0xFEFF, 0x1F600, 0x10FFFF))
DATA = {
    "nothing at all": None,
    "every kind": {"text": "Zoë", "none": None, "yes": True, "no": False, "list": [1, -2, []], "empty": {}},
    "every character": {"text": CHARACTERS, CHARACTERS: 1},
    "lines of JavaScript": "a\u2028b\u2029c",
    "numbers": [0, -1, 2**53 + 1, 10**40, 0.0227, 1.5, 0.1 + 0.2, 12345.678, 0.0],
    "a status": {"status": Status.DELIVERED},
    "an ordered dict": OrderedDict(b=1, a=2),
    "a safe text": mark_safe("<b>"),
    "a lazy text": [lazystr("later")],
    "a tuple": (1, "two"),
}


@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
def test_it_writes_the_bytes_of_rest_framework(data):
    assert QuickJSONRenderer().render(data, "application/json", {}) == JSONRenderer().render(data)


def test_values_that_cannot_be_written_raise_the_same_error():
    with pytest.raises(UnicodeEncodeError):
        QuickJSONRenderer().render({"text": "\ud800"})
    with pytest.raises(TypeError):
        QuickJSONRenderer().render({"a": object()})
