"""What docs/testing.md says is shown by a test is a test there is."""

import re

from tests.servers import ROOT

DOCUMENT = (ROOT / "docs" / "testing.md").read_text()


def test_every_test_it_names_exists():
    named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", DOCUMENT)

    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / "tests" / path).exists()
        or not re.search(rf"^def {name}\(", (ROOT / "tests" / path).read_text(), re.MULTILINE)
    ]

    assert len(named) > 60
    assert missing == []


def test_every_script_it_names_exists():
    named = set(re.findall(r"`(benchmarks/[\w/]+\.py)`", DOCUMENT))

    assert len(named) >= 5
    assert [path for path in named if not (ROOT / path).exists()] == []
