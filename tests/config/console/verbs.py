"""Find the audit verbs that the code writes, by reading the source."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.servers import ROOT

PACKAGES = ("config", "datasets", "notifications")
_PARAMETER = "verb"
_FIELD = "audit_verb"
_Trees = dict[Path, ast.Module]


def written() -> dict[str, str]:
    """Return each verb with a place that writes it: each value of a parameter `verb` or of a field `audit_verb`."""
    trees = {
        path: ast.parse(path.read_text())
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if "migrations" not in path.parts
    }
    takers = _takers(trees)
    found: dict[str, str] = {}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == _FIELD and isinstance(node.value, ast.Constant):
                found.setdefault(str(node.value.value), f"{path.name}:{node.value.lineno}")
            if isinstance(node, ast.FunctionDef):
                for call in ast.walk(node):
                    if isinstance(call, ast.Call):
                        for verb in _verbs_of(call, takers, node):
                            found.setdefault(verb, f"{path.name}:{call.lineno}")
    return found


def _takers(trees: _Trees) -> dict[str, set[int]]:
    """Return functions with that parameter: name → positions in a call."""
    found: dict[str, set[int]] = {}
    for tree in trees.values():
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                names = [argument.arg for argument in function.args.args]
                if _PARAMETER in names:
                    is_method = names[0] in {"self", "cls"}
                    found.setdefault(function.name, set()).add(names.index(_PARAMETER) - is_method)
    return found


def _verbs_of(call: ast.Call, takers: dict[str, set[int]], function: ast.FunctionDef) -> Iterator[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    for place in takers.get(name, ()):
        given = [keyword.value for keyword in call.keywords if keyword.arg == _PARAMETER]
        given += call.args[place : place + 1]
        for value in given:
            yield from _constants(value, function)


def _constants(value: ast.expr, function: ast.FunctionDef) -> Iterator[str]:
    if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value.replace("_", "").isalpha():
        yield value.value
    elif isinstance(value, ast.IfExp):
        yield from _constants(value.body, function)
        yield from _constants(value.orelse, function)
    elif isinstance(value, ast.Name):
        for assigned in ast.walk(function):
            if isinstance(assigned, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == value.id for target in assigned.targets
            ):
                yield from _constants(assigned.value, function)
