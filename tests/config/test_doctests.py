"""Every example in a docstring is run."""

import doctest
from importlib import import_module

import pytest

from tests.servers import ROOT

MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for area in ("config", "datasets", "notifications")
    for path in (ROOT / area).rglob("*.py")
    if ">>> " in path.read_text()
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_pass(name: str) -> None:
    outcome = doctest.testmod(import_module(name))

    assert (outcome.failed, outcome.attempted > 0) == (0, True)
