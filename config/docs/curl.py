"""Return an operation of the OpenAPI document as a curl command, with the variables of `.demo.env`."""

import json
import shlex
from typing import Any

Json = dict[str, Any]  # Any: an OpenAPI document is JSON of many shapes


def command(base_url: str, path: str, method: str, operation: Json, schemes: Json) -> str:
    """Return a command that works in a shell that has the credentials and the variables in `base_url`."""
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(parameter["schema"]["examples"][0]))
    [scheme] = operation["security"][0]
    lines = [f'"{base_url}{path}"', f'-H "Authorization: Bearer {schemes[scheme]["x-credential"]}"']
    if body := operation.get("requestBody"):
        [example] = body["content"]["application/json"]["examples"].values()
        written = json.dumps(example["value"], ensure_ascii=False)
        lines += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(written)}"]
    implied = "post" if operation.get("requestBody") else "get"  # the method that curl uses by itself
    verb = "" if method == implied else f"-X {method.upper()} "
    return f"curl -sS {verb}" + " \\\n  ".join(lines)
