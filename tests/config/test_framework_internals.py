"""docs/framework-internals.md lists the private attributes and the files that use them, and nothing else.

An attribute with one leading underscore is private to a framework if no function, class or assignment of ours has its
name. Overrides of private methods have such a definition, so only the page itself lists those.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

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


DOCUMENTED = {  # by the frameworks, in spite of the underscore
    *("_meta", "_default_manager", "_base_manager"),  # Django
    *("_replace", "_asdict", "_value_", "_exit"),  # namedtuple, Enum, os
}
SOURCES = {
    path.relative_to(ROOT): ast.parse(path.read_text())
    for area in ("config", "datasets", "notifications")
    for path in sorted((ROOT / area).rglob("*.py"))
}


def _own_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module defines: functions, classes, variables, and attributes of `self` and `cls`."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.Attribute(value=ast.Name(id="self" | "cls"), ctx=ast.Store()):
                yield node.attr


def _used(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr):
            yield node.attr


def _private_uses(sources: dict[Path, ast.Module]) -> set[tuple[str, str]]:
    """Return the file and the name of each use of a framework's private attribute."""
    own = DOCUMENTED.union(*map(_own_names, sources.values()))
    return {(path.as_posix(), name) for path, tree in sources.items() for name in _used(tree) if name not in own}


def test_each_private_attribute_that_the_code_uses_is_in_the_document() -> None:
    listed = {(path, name) for attributes, path in ROWS for name in re.findall(r"`([\w.]+)`", attributes)}

    assert sorted(_private_uses(SOURCES) - listed) == []


def test_the_search_finds_uses_and_leaves_out_our_own_names() -> None:
    code = (
        "class A:\n    def _own(self): self._mine = site._registry\n\na._own(); a._mine; a._meta; a.__dict__; a.b._c\n"
    )

    found = _private_uses({Path("a.py"): ast.parse(code)})

    assert found == {("a.py", "_registry"), ("a.py", "_c")}
