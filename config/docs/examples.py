"""Write the example call of an operation as a program in each language, from its one example in the OpenAPI document.

A program needs no packages and prints the status and the body of the response. Its key or token comes from the
environment. The texts are the templates in `templates/docs/examples`. Source: docs/reference/running.md §8.
"""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pprint import pformat
from typing import Any
from urllib.parse import quote, urlencode

from django.template.loader import render_to_string

Json = dict[str, Any]  # Any: an OpenAPI document is JSON of many shapes

LANGUAGES = {
    "curl": "curl",
    "python": "Python",
    "node": "Node",
    "java": "Java",
    "dotnet": ".NET",
    "php": "PHP",
    "ruby": "Ruby",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """The example call of an operation.

    path:      with its values and its required parameters
    variable:  the environment variable with the key or the token
    is_signed: whether the token is signed with the key
    body:      JSON, or the text of a file; None if the operation has no body
    """

    method: str
    path: str
    variable: str
    is_signed: bool
    media_type: str
    body: Any  # JSON

    @property
    def is_json(self) -> bool:
        return self.media_type == "application/json"


@dataclass(frozen=True, slots=True)
class Program:
    """code: of a language in LANGUAGES"""

    code: str
    language: str
    text: str


def of_operation(path: str, method: str, operation: Json, schemes: Json) -> Example:
    """Return the example of an operation of the OpenAPI document. schemes: its security schemes"""
    required = {}
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(parameter["schema"]["examples"][0]))
        elif parameter["in"] == "query" and parameter.get("required"):
            required[parameter["name"]] = parameter["schema"]["examples"][0]
    if required:
        path += f"?{urlencode(required, quote_via=quote)}"
    [name] = operation["security"][0]
    media_type, body = "", None
    if content := operation.get("requestBody", {}).get("content"):
        media_type = "application/json" if "application/json" in content else next(iter(content))
        [example] = content[media_type]["examples"].values()
        body = example["value"]
    return Example(
        method=method.upper(),
        path=path,
        variable=schemes[name]["x-variable"],
        is_signed=schemes[name].get("bearerFormat") == "JWT",
        media_type=media_type,
        body=body,
    )


def programs(example: Example, base_url: str, shell_url: str) -> list[Program]:
    """Return the call in each language. shell_url: the base URL, or a variable of the shell with it"""
    has_body = bool(example.media_type)
    implied = "POST" if has_body else "GET"  # the method that curl uses by itself
    context = {
        "method": example.method,
        "url": base_url + example.path,
        "curl_url": shell_url + example.path,
        "curl_method": "" if example.method == implied else example.method,
        "variable": example.variable,
        "is_signed": example.is_signed,
        "media_type": example.media_type,
        "is_json": has_body and example.is_json,
        "body": _bodies(example) if has_body else None,
    }
    return [
        Program(code, name, render_to_string(f"docs/examples/{code}.txt", context).strip())
        for code, name in LANGUAGES.items()
    ]


def _bodies(example: Example) -> Mapping[str, str]:
    """Return the body as each language writes it."""
    if not example.is_json:
        quoted = json.dumps(example.body)  # a string literal of all these languages
        return {**dict.fromkeys(LANGUAGES, quoted), "python": f"{quoted}.encode()", "curl": shlex.quote(example.body)}
    text = json.dumps(example.body, ensure_ascii=False, indent=2)
    escaped = text.replace("\\", "\\\\")  # the only mark that a text block of Java reads
    literal = pformat(example.body, sort_dicts=False, width=100)
    return {
        "curl": shlex.quote(json.dumps(example.body, ensure_ascii=False)),
        "python": f"json.dumps({_indented(literal, len('    data=json.dumps('))}).encode()",
        "node": f"JSON.stringify({_indented(text, 4)})",
        "java": f'"""\n{escaped}"""',
        "dotnet": f'"""\n{text}\n"""',
        "php": f"<<<'JSON'\n{text}\nJSON",
        "ruby": f"<<~'JSON'\n{text}\nJSON",
    }


def _indented(text: str, spaces: int) -> str:
    """Indent all lines but the first."""
    return text.replace("\n", "\n" + " " * spaces)
