"""Create HTTP load with wrk, which needs little CPU: one thread, and persistent connections with one call at a time."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

MAX_SECONDS = 20  # a token of the sending API is valid for 30 s and is signed once, before the load starts
WARM_UP_SECONDS = 1

_SCRIPT = """
wrk.method = %(method)s
local body = %(body)s
local numbered = body:find("{number}", 1, true)
local number = %(first)d
for name, value in pairs({%(headers)s}) do wrk.headers[name] = value end
request = function()
  number = number + 1
  return wrk.format(nil, nil, nil, numbered and body:gsub("{number}", number) or body)
end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format("\\nRESULT [%%d, %%d, %%d, %%d, %%d, %%d]\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), errors.status, errors.connect + errors.read + errors.timeout))
end
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call, which is repeated.

    body: its text; `{number}` is replaced by a different number in each call of all runs
    sign: returns headers for each run, because tokens expire
    """

    url: str
    method: str = "GET"
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    sign: Callable[[], Mapping[str, str]] = dict


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The result of a run in which every answer was a 2xx."""

    requests: int
    per_second: float
    p50_ms: float
    p99_ms: float


_first = iter(range(0, 1 << 40, 10_000_000))


def warm_up(call: Call, *, clients: int) -> None:
    _run(call, clients, WARM_UP_SECONDS)


def run(call: Call, *, clients: int, seconds: float) -> Answers:
    """Repeat `call` for `seconds` with `clients` connections. Raises RuntimeError if an answer is not a 2xx."""
    answers = _run(call, clients, min(seconds, MAX_SECONDS))
    if not answers.requests:
        raise RuntimeError(f"{call.method} {call.url}: no answers")
    return answers


def _run(call: Call, clients: int, seconds: float) -> Answers:
    wrk = shutil.which("wrk")
    if wrk is None:
        raise FileNotFoundError("wrk is not installed: apt install wrk")
    headers = {**call.headers, **call.sign()}
    words = {
        "method": _quoted(call.method),
        "body": _quoted(call.body),
        "first": next(_first),
        "headers": ", ".join(f"[{_quoted(name)}] = {_quoted(value)}" for name, value in headers.items()),
    }
    with tempfile.TemporaryDirectory(prefix="signalbox-load-") as folder:
        script = Path(folder, "call.lua")
        script.write_text(_SCRIPT % words)
        command = [
            wrk,
            "-t1",
            f"-c{clients}",
            f"-d{max(1, round(seconds))}s",
            "--timeout",
            "30s",
            "-s",
            script,
            call.url,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60)
    line = next((line for line in done.stdout.splitlines() if line.startswith("RESULT ")), None)
    if line is None:
        raise RuntimeError(done.stdout + done.stderr)
    requests, micros, p50, p99, refused, broken = json.loads(line.removeprefix("RESULT "))
    if refused or broken:
        raise RuntimeError(f"{call.method} {call.url}: {requests} answers, {refused} not 2xx, {broken} broken")
    return Answers(requests=requests, per_second=requests / micros * 1e6, p50_ms=p50 / 1000, p99_ms=p99 / 1000)


def _quoted(text: str) -> str:
    """Return the text as a Lua string literal."""
    return (
        '"'
        + "".join(f"\\{byte:03d}" if byte < 32 or byte > 126 or byte in b'"\\' else chr(byte) for byte in text.encode())
        + '"'
    )
