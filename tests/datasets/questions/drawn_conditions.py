"""Random conditions: as the text of `where`, and as a function of a record in plain Python."""

import json
from typing import Any

from hypothesis import strategies as st

from datasets.queries import values

OPERATORS = ["=", "!=", "<", "<=", ">", ">=", "in", "not in", "contains", "starts_with", "exists", "is null"]
OPERATORS += ["is not null"]
SCALARS = [
    0,
    -0.0,
    1,
    1.0,
    "1",
    "",
    "true",
    True,
    False,
    None,
    "a",
    "A",
    "ab",
    "é",
    "\U0001f600",
    'q"',
    "\\",
    "\n",
    "%",
]
SCALARS += [2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**20, 1e22, 0.1, -7, 1e308, "_", "[", "'; --"]
LITERALS = st.sampled_from(SCALARS) | st.integers(-20, 20) | st.floats(allow_nan=False, allow_infinity=False)
STORED = LITERALS | st.sampled_from([10**400, [], {}, ["a"], {"b": 1}])
NESTED = st.dictionaries(st.sampled_from(["n", "m", 'x"y', ""]), STORED, max_size=2)
RECORDS = st.lists(
    st.fixed_dictionaries(
        {"_timestamp": st.sampled_from(["2024-01-01T00:00:00Z", "2024-02-29T23:59:59.5Z"])},
        optional={
            "g": STORED,
            "geo": NESTED | st.fixed_dictionaries({"m": NESTED}) | STORED,
            "geo.n": STORED,
            "_start_at": st.sampled_from(["2024-01-01T00:00:00Z", "2023-06-01T00:00:00Z"]),
        },
    ),
    min_size=1,
    max_size=15,
)
PATHS = [("g",), ("geo", "n"), ("geo.n",), ("geo", "m", "n"), ("geo", 'x"y'), ("geo", ""), ("no_such_field",), ("_id",)]


@st.composite
def comparisons(draw) -> Any:
    path, operator = draw(st.sampled_from(PATHS)), draw(st.sampled_from(OPERATORS))
    if operator in {"in", "not in"}:
        return path, operator, draw(st.lists(LITERALS, min_size=1, max_size=3))
    if operator in {"contains", "starts_with"}:
        return path, operator, [draw(st.sampled_from(["", "a", "é", 'q"', "\\", "1", "\U0001f600"]))]
    return path, operator, [draw(LITERALS)] if operator in {"=", "!=", "<", "<=", ">", ">="} else []


CONDITIONS = st.recursive(
    comparisons(),
    lambda inner: st.tuples(st.just("not"), inner) | st.tuples(st.sampled_from(["and", "or"]), inner, inner),
    max_leaves=6,
)


def text_of(condition: Any) -> str:
    if condition[0] == "not":
        return f"not ({text_of(condition[1])})"
    if condition[0] in {"and", "or"}:
        return f"({text_of(condition[1])} {condition[0]} {text_of(condition[2])})"
    path, operator, given = condition
    name = ".".join(part if part.isidentifier() else json.dumps(part, ensure_ascii=False) for part in path)
    literals = [json.dumps(value) for value in given]
    if operator in {"in", "not in"}:
        return f"{name} {operator} ({', '.join(literals)})"
    return f"{name} {operator} {''.join(literals)}"


def holds(condition: Any, record: dict[str, Any]) -> bool:
    if condition[0] == "not":
        return not holds(condition[1], record)
    if condition[0] == "and":
        return holds(condition[1], record) and holds(condition[2], record)
    if condition[0] == "or":
        return holds(condition[1], record) or holds(condition[2], record)
    path, operator, given = condition
    if operator in {"not in", "is not null"}:
        return not holds((path, operator.replace("not ", ""), given), record)
    is_there, value = True, record
    for part in path:
        is_there = is_there and isinstance(value, dict) and part in value
        value = value[part] if is_there else None
    return is_there and _holds_for(value, operator, given)


def _holds_for(value: Any, operator: str, given: list[Any]) -> bool:
    if operator in {"exists", "is null"}:
        return operator == "exists" or value is None
    if isinstance(value, list | dict):
        return False
    if operator in {"contains", "starts_with"}:
        return isinstance(value, str) and (given[0] in value if operator == "contains" else value.startswith(given[0]))
    if operator in {"=", "in"}:
        return any(_is_equal(value, one) for one in given)
    if operator == "!=":
        return not _is_equal(value, given[0])
    left, right = (values.number(one) if not isinstance(one, str) else one for one in (value, given[0]))
    if left is None or right is None or isinstance(left, str) != isinstance(right, str):
        return False
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator]


def _is_equal(value: Any, wanted: Any) -> bool:
    numbers = values.number(value), values.number(wanted)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return type(value) is type(wanted) and value == wanted
