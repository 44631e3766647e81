"""The data set area's share of the documentation: operations, shapes, refusals and chapters.

Loaded when the document is first asked for. Source: Developer experience §8.
"""

from dataclasses import asdict

from config.docs.parts import Part, Problem
from datasets.api import problems
from datasets.api.problems import Row
from datasets.api.schema import operations, shapes
from datasets.api.schema.chapters import CHAPTERS

_FAULT = {"index": 0, "field": "_timestamp", "message": "is required"}
_ROWS = {
    "writeRecords": (
        *problems.TOKEN,
        problems.WRITING,
        *problems.ADDRESS,
        *problems.BODY,
        *problems.KEY,
        problems.TOO_MANY_RECORDS,
        problems.NO_RECORDS,
        problems.REFUSED,
        *problems.FAILURES,
    ),
    "emptyDataSet": (
        *problems.TOKEN,
        problems.WRITING,
        *problems.ADDRESS,
        *problems.BODY,
        problems.NOT_EMPTY_ARRAY,
        *problems.FAILURES,
    ),
    "readRecords": (*problems.TOKEN, problems.READING, *problems.ADDRESS, *problems.QUERY, *problems.FAILURES),
}


def _problem(row: Row) -> Problem:
    return Problem(**asdict(row))


def _refusal(problem: Problem) -> dict[str, object]:
    told: dict[str, object] = {"status": "error", "message": problem.message}
    return {**told, "errors": [_FAULT], "error_count": 1} if problem.slug == problems.REFUSED.slug else told


PART = Part(
    name="Data",
    title="Data sets",
    prefix="/data/",
    chapters=CHAPTERS,
    problems={name: [_problem(row) for row in rows] for name, rows in _ROWS.items()},
    families={title: [_problem(row) for row in rows] for title, rows in problems.FAMILIES.items()},
    refusal=_refusal,
    refusal_schema=shapes.REFUSAL,
)
__all__ = ["PART", "operations"]
