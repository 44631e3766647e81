"""The vectors of grouped, sorted and filtered reads, with column files for data sets of any size."""

import gzip
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.test import Client

from datasets.columns import building
from datasets.models import DataSet, Segment
from tests.datasets import vectors
from tests.datasets.vectors import Case, Player

pytestmark = pytest.mark.django_db

_ASKED = ("group_by=", "period=", "sort_by=", "filter_by")


def _reads(case: Case) -> bool:
    steps = [case.vector, *case.vector.get("then", [])]
    return any(word in step["request"]["path"] for step in steps for word in _ASKED) and not any(
        {"parallel", "chunked"} & step["request"].keys() for step in steps
    )


CASES = [case for case in vectors.cases() if _reads(case)]


class Answer:
    def __init__(self, response: Any) -> None:  # Any: Django has two classes
        self.status = response.status_code
        self.headers = {name.lower(): value for name, value in response.headers.items()}
        body = b"".join(response.streaming_content) if response.streaming else response.content
        self.body = gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class PlayerWithColumns(Player):
    """Builds all that may be built before each read."""

    def __init__(self) -> None:
        self.client = Client()

    def _step(self, case: Case, request: dict[str, Any], expect: dict[str, Any]) -> None:
        answer = self._send(case, request)  # in this thread, because the data is in its transaction
        self._check(case, request, answer, expect)  # type: ignore[arg-type]  # the same attributes
        self._remember(case, answer)  # type: ignore[arg-type]
        if "stored_after" in expect:
            self._check_stored(case, expect["stored_after"])

    def _send(self, case: Case, request: dict[str, Any]) -> Answer:  # type: ignore[override]  # the same attributes
        if request["method"] == "GET":
            for data_set in DataSet.objects.all():
                building.build(data_set, seconds=60, wait=False)
        _, blocks = vectors.body_of(case, request)
        url = urlsplit(case.fill(request["path"]))
        headers = case.fill(request.get("headers", {}))
        response = self.client.generic(
            request["method"],
            url.path,
            b"".join(blocks or ()),
            content_type=headers.pop("Content-Type", "application/octet-stream"),
            headers=headers,
            QUERY_STRING=url.query,
        )
        return Answer(response)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_vector_with_column_files(case: Case, tmp_path, capsys):
    other = {"group": "other", "type": "other", "tokens": [{"scopes": ["write", "read"]}]}
    document = tmp_path / "document.json"
    document.write_text(json.dumps({"data_sets": [other, case.declaration()]}))
    call_command("provision", str(document))
    case.take(*reversed(json.loads(capsys.readouterr().out)["data_sets"]))

    PlayerWithColumns().play(case)


def test_most_reads_have_column_files():
    assert len(CASES) > 120
    assert Segment.objects.count() == 0
