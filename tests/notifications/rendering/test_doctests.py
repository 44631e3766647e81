"""The doctests pass."""

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

from notifications import recipients, rendering


def _modules(package: ModuleType) -> list[str]:
    return [module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]


@pytest.mark.parametrize("name", _modules(recipients) + _modules(rendering))
def test_the_doctests_of_a_module_pass(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
