"""docs/framework-internals.md lists the private attributes and the files that use them."""

import re

import pytest

from tests.servers import ROOT

ROWS = re.findall(
    r"^\| ([^|]*`[^|]*) \| `([\w/]+\.py)` \|", (ROOT / "docs" / "framework-internals.md").read_text(), re.MULTILINE
)


@pytest.mark.parametrize(
    ("attributes", "path"), ROWS, ids=[f"{path}-{number}" for number, (_, path) in enumerate(ROWS)]
)
def test_each_attribute_is_used_in_the_file_that_the_document_names(attributes: str, path: str) -> None:
    code = (ROOT / path).read_text()
    names = re.findall(r"`([\w.]+)`", attributes)

    assert names
    assert [name for name in names if name not in code] == []


def test_the_document_lists_attributes() -> None:
    assert len(ROWS) > 15
