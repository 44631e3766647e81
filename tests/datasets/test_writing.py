"""Both serializers write a stored record identically."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from config.rest import strict_json
from datasets import records
from datasets.errors import RecordsRejected
from datasets.records import writing
from datasets.records.writing import look_at

texts = st.text(st.characters(exclude_categories=["Cs"]))
# Numbers near the point where the serializers differ, and elsewhere.
floats = st.floats(allow_nan=False, allow_infinity=False) | st.floats(9e-5, 2e-4) | st.floats(9e15, 2e16)
leaves = st.none() | st.booleans() | st.integers() | floats | texts
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=20)
numbers = st.from_regex(r"-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)


@given(value=st.dictionaries(texts, values))
def test_both_serializers_write_values_identically(value):
    data = json.dumps([value]).encode()

    assert look_at(data).write(value) == writing.exactly(value)


@given(number=numbers)
@example(number="9999999999999999.9")
@example(number="-9999999999999999.9")
@example(number="0.00009999999999999999999")
@example(number="0.000099999999999999999999999999999999999")
@example(number="10000000000000000")
@example(number="1" * 400)
def test_both_serializers_write_numbers_identically(number):
    data = f'[{{"n":{number}}}]'.encode()
    value = json.loads(data)[0]

    assert look_at(data).write(value) == writing.exactly(value)


@pytest.mark.parametrize("odd", ["1e16", "1E-7", "0.00001", "12345678901234567.5", "1e400", "9" * 4301])
def test_a_number_that_msgspec_writes_differently_uses_the_standard_library(odd):
    assert look_at(f'[{{"n":{odd}}}]'.encode()).write is writing.exactly


@pytest.mark.parametrize("usual", ["1", "-0.5", "1.25", "0.0001", "123456789012345678", "1234567890.0625", '"1.5 e"'])
def test_other_numbers_use_msgspec(usual):
    assert look_at(f'[{{"n":{usual}}}]'.encode()).write is not writing.exactly


DEEP = '{"a":' * 33 + "1" + "}" * 33


@pytest.mark.parametrize("levels", [32, 33])
@pytest.mark.parametrize("body", ["%s", "[%s]", "[%s,{}]"])
def test_levels_are_counted_alike_in_body_and_record(body, levels):
    record = '{"_timestamp":"2024-01-01T00:00:00Z","a":' + "[" * levels + "]" * levels + "}"
    data = (body % record).encode()
    value = json.loads(data)

    assert outcome_of(value, look_at(data)) == outcome_of(value, writing.UNSEEN)
    assert bool(outcome_of(value, look_at(data))) == (levels == 33 or "{}" in body)


def outcome_of(value: object, look: writing.Look) -> list[str]:
    try:
        return [] if list(records.check(value, auto_ids=(), look=look)) else ["nothing"]
    except RecordsRejected as refused:
        return [f"{error.index} {error.message}" for error in refused.rejections]


@pytest.mark.parametrize("odd", ['"\\u0000"', '"a\\ud800"', DEEP, "[" * 33 + "]" * 33, "1e400", "9" * 4301])
def test_one_bad_record_among_many_valid_ones_is_found(odd):
    good = '{"_id":"%d","_timestamp":"2024-01-01T00:00:00Z","a":1}'
    data = f"[{','.join(good % number for number in range(100))},{(good % 100).replace('1}', odd + '}')}]".encode()

    with pytest.raises(RecordsRejected) as refused:
        list(records.check(strict_json.loads(data, skip_mark=True, storable=False), auto_ids=(), look=look_at(data)))

    assert {error.index for error in refused.value.rejections} == {100}
