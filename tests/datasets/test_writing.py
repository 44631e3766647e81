"""A stored record is spelt the same whichever of the two writers wrote it."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from datasets.records import writing
from datasets.records.writing import writer_for

texts = st.text(st.characters(exclude_categories=["Cs"]))
# Near where the writers part, as well as anywhere.
floats = st.floats(allow_nan=False, allow_infinity=False) | st.floats(9e-5, 2e-4) | st.floats(9e15, 2e16)
leaves = st.none() | st.booleans() | st.integers() | floats | texts
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=20)
numbers = st.from_regex(r"-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)


@given(value=st.dictionaries(texts, values))
def test_values_are_spelt_alike(value):
    data = json.dumps([value]).encode()

    assert writer_for(data)(value) == writing.exactly(value)


@given(number=numbers)
@example(number="9999999999999999.9")
@example(number="-9999999999999999.9")
@example(number="0.00009999999999999999999")
@example(number="0.000099999999999999999999999999999999999")
@example(number="10000000000000000")
@example(number="1" * 400)
def test_numbers_are_spelt_alike_however_they_were_sent(number):
    data = f'[{{"n":{number}}}]'.encode()
    value = json.loads(data)[0]

    assert writer_for(data)(value) == writing.exactly(value)


@pytest.mark.parametrize("odd", ["1e16", "1E-7", "0.00001", "12345678901234567.5", "1e400", "9" * 4301])
def test_a_number_that_may_be_spelt_otherwise_is_left_to_the_standard_library(odd):
    assert writer_for(f'[{{"n":{odd}}}]'.encode()) is writing.exactly


@pytest.mark.parametrize("usual", ["1", "-0.5", "1.25", "0.0001", "123456789012345678", "1234567890.0625", '"1.5 e"'])
def test_others_are_written_the_quick_way(usual):
    assert writer_for(f'[{{"n":{usual}}}]'.encode()) is not writing.exactly
