"""The fields of a stored body are those that `json` finds, whichever parser reads them."""

import json

import pytest

from datasets.queries.selected import Row

AT = "2024-01-01T00:00:00Z"
NUMBERS = ["1", "1.0", "-0", "-0.0", "1e2", "1E+22", "0.30000000000000004", "5e-324", "1e-400", "1e400", "-1E400"]
NUMBERS += [str(2**53 + 1), str(2**63), str(-(2**63) - 1), str(2**64), str(2**200), "9" * 4300, "0." + "1" * 900]
BODIES = ["{}", '{"v":1,"w":2,"v":3}', ' {"v" : null} ', '{"v":"\\ud800"}', '{"v":"\\ud83d\\ude00"}', '{"":[{}]}']


def row(body: str) -> Row:
    return Row("r", AT, None, None, body, AT)


@pytest.mark.parametrize("body", [*BODIES, *(f'{{"v":{number}}}' for number in NUMBERS)])
def test_values_are_those_of_json(body):
    assert repr(row(body).fields()) == repr(json.loads(body))


@pytest.mark.parametrize("body", ["", '{"v":', '{"v":1.}', f'{{"v":{"[" * 100_000}{"]" * 100_000}}}'])
def test_a_damaged_body_is_a_failure_of_the_service(body):
    """The error of a request that is not JSON would be 400, and nobody would look for the damage."""
    with pytest.raises((json.JSONDecodeError, RecursionError)):
        row(body).fields()
