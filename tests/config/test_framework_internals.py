"""docs/framework-internals.md lists the private attributes and the files that use them, and nothing else.

An attribute with one leading underscore is private to a framework if no function, class or assignment of ours has its
name. A class of ours also uses those of its framework's base classes that it overrides, reads or sets.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.servers import ROOT

ROWS = re.findall(
    r"^\| ([^|]*`[^|]*) \| `([\w/]+\.py)` \|", (ROOT / "docs" / "framework-internals.md").read_text(), re.MULTILINE
)
MOST_ROWS = 15
PRIVATE_NAME = re.compile(r"^ {4}(?:def )?(_[a-z]\w*)\b(?=\(|\s*[:=])|\bself\.(_[a-z]\w*) = ", re.MULTILINE)


@pytest.mark.parametrize(
    ("attributes", "path"), ROWS, ids=[f"{path}-{number}" for number, (_, path) in enumerate(ROWS)]
)
def test_each_attribute_is_used_in_the_file_that_the_document_names(attributes: str, path: str) -> None:
    code = (ROOT / path).read_text()
    names = re.findall(r"`([\w.]+)`", attributes)

    assert names
    assert [name for name in names if name not in code] == []


def test_the_document_lists_few_uses() -> None:
    assert 0 < len(ROWS) <= MOST_ROWS


DOCUMENTED = {  # by the frameworks, in spite of the underscore
    *("_meta", "_default_manager", "_base_manager", "_state", "_open", "_save"),  # Django
    *("_replace", "_asdict", "_value_", "_exit"),  # namedtuple, Enum, os
    *("_get", "_put", "_size", "_purge"),  # what a virtual channel of kombu implements
}
AREAS = ("config", "datasets", "notifications")


@pytest.fixture(scope="module")
def sources() -> dict[Path, ast.Module]:
    """Return the syntax trees of the product. Each test process would parse them at its start otherwise."""
    files = [path for area in AREAS for path in sorted((ROOT / area).rglob("*.py"))]
    return {path.relative_to(ROOT): ast.parse(path.read_text()) for path in files}


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


def _inherited_uses(sources: dict[Path, ast.Module]) -> set[tuple[str, str]]:
    """Return the file and the name of each private attribute of a framework's base class that a class of ours uses."""
    classes = [
        (path, node, set(_names_in(node)))
        for path, tree in sources.items()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.bases
    ]
    return {
        (path.as_posix(), name)
        for path, node, names in classes
        if names
        for name in _private_of_bases(path, node.name) & names
    }


def _names_in(node: ast.ClassDef) -> Iterator[str]:
    """Yield the private names that a class defines, or uses as an attribute of `self` or `super()`."""
    for inner in ast.walk(node):
        match inner:
            case ast.FunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name):
                if re.match("_[a-z]", name) and name not in DOCUMENTED:
                    yield name


def _private_of_bases(path: Path, name: str) -> set[str]:
    module = importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
    bases = [base for base in getattr(module, name).__mro__ if base.__module__.partition(".")[0] not in AREAS]
    return set().union(*map(_private_names_of, bases))


@cache
def _private_names_of(framework: type) -> set[str]:
    """Return the private names that a framework's class defines or sets on `self`."""
    try:
        code = inspect.getsource(framework)
    except (TypeError, OSError):  # written in C, or made at run time
        return set()
    return {name for pair in PRIVATE_NAME.findall(code) for name in pair if name}


def test_each_private_attribute_that_the_code_uses_is_in_the_document(sources: dict[Path, ast.Module]) -> None:
    listed = {(path, name) for attributes, path in ROWS for name in re.findall(r"`([\w.]+)`", attributes)}

    assert sorted((_private_uses(sources) | _inherited_uses(sources)) - listed) == []


def test_the_search_finds_uses_and_leaves_out_our_own_names() -> None:
    code = (
        "class A:\n    def _own(self): self._mine = site._registry\n\na._own(); a._mine; a._meta; a.__dict__; a.b._c\n"
    )

    found = _private_uses({Path("a.py"): ast.parse(code)})

    assert found == {("a.py", "_registry"), ("a.py", "_c")}


def test_the_search_finds_what_a_class_inherits() -> None:
    path = Path("config/accounts/sessions.py")

    found = _inherited_uses({path: ast.parse((ROOT / path).read_text())})

    assert ("config/accounts/sessions.py", "_session_key") in found
