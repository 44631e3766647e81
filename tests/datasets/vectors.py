"""Play the contract's test vectors over HTTP. The data set contract describes their format."""

import base64
import gzip
import http.client
import json
import math
import re
import secrets
import uuid
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from tests import documented
from tests.service import Service

FILE = Path(__file__).resolve().parent.parent / "vectors" / "data-sets.jsonl"
COMPUTED = {"_updated_at"} | {f"_{name}_start_at" for name in ("hour", "day", "week", "month", "quarter", "year")}
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{6})?Z")
LEAK = re.compile(
    r'Traceback|File "|Error\(|Exception|<class|ds_[A-Za-z0-9_-]{20}|psycopg|sqlite|Django', re.IGNORECASE
)
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        body = response.read()
        self.body = gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Case:
    """One line of the file, with the values of its placeholders."""

    def __init__(self, vector: dict[str, Any]) -> None:
        self.vector = vector
        self.id: str = vector["id"]
        self.words: dict[str, str] = {"missing": f"missing-{secrets.token_hex(6)}", "uuid": str(uuid.uuid4())}

    def declaration(self) -> dict[str, Any]:
        """Return the data set of the case, with its own group."""
        given = self.vector["given"]["data_set"]
        tokens = [{"scopes": ["write"]}, {"scopes": ["read"]}, {"scopes": ["write", "read"], "revoked": True}]
        return {**given, "group": f"{given['group'][:40]}-{secrets.token_hex(5)}", "tokens": tokens}

    def take(self, own: dict[str, Any], other: dict[str, Any]) -> None:
        write, read, revoked = (token["token"] for token in own["tokens"])
        self.words |= {
            "group": own["group"],
            "type": own["type"],
            "name": own["name"],
            "other_group": other["group"],
            "other_type": other["type"],
            "write_token": write,
            "read_token": read,
            "revoked_token": revoked,
            "other_token": other["tokens"][0]["token"],
            "unknown_token": "ds_" + secrets.token_urlsafe(32),
        }

    def fill(self, value: Any) -> Any:
        """Replace placeholders with their values, at any depth."""
        if isinstance(value, str):
            return _PLACEHOLDER.sub(lambda found: self.words.get(found[1], found[0]), value)
        if isinstance(value, list):
            return [self.fill(inner) for inner in value]
        if isinstance(value, dict):
            return {self.fill(name): self.fill(inner) for name, inner in value.items()}
        return value


def cases() -> list[Case]:
    return [Case(json.loads(line)) for line in FILE.read_text().splitlines()]


def provision(service: Service, wanted: list[Case]) -> None:
    """Create the data sets of all cases, and the other data set that some cases name, in one call."""
    other = {"group": f"other-{secrets.token_hex(5)}", "type": "other", "tokens": [{"scopes": ["write", "read"]}]}
    document = {"data_sets": [other, *(case.declaration() for case in wanted)]}
    done = service.manage("provision", "-", input=json.dumps(document))
    assert done.returncode == 0, done.stderr
    other, *made = json.loads(done.stdout)["data_sets"]
    for case, own in zip(wanted, made, strict=True):
        case.take(own, other)


class Player:
    """Plays cases against one running service."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self.host, self.port = address.hostname or "", address.port or 0

    def play(self, case: Case) -> None:
        if stored := case.vector["given"].get("stored_before"):
            before = self._send(case, _post(stored))
            assert before.status == 200, before.body
        for step in (case.vector, *case.vector.get("then", [])):
            self._step(case, step["request"], step["expect"])

    def _step(self, case: Case, request: dict[str, Any], expect: dict[str, Any]) -> None:
        times = request.get("parallel", 1)
        with ThreadPoolExecutor(times) as pool:
            answers = list(pool.map(lambda _: self._send(case, request), range(times)))
        for answer in answers:
            self._check(case, request, answer, expect)
        self._remember(case, answers[-1])
        if "stored_after" in expect:
            self._check_stored(case, expect["stored_after"])

    def _send(self, case: Case, request: dict[str, Any]) -> Answer:
        length, blocks = body_of(case, request)
        headers = case.fill(request.get("headers", {}))
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            connection.putrequest(request["method"], case.fill(request["path"]), skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value.encode())
            chunked = bool(request.get("chunked"))
            if chunked:
                connection.putheader("Transfer-Encoding", "chunked")
            elif blocks is not None or request["method"] in {"POST", "PUT"}:
                connection.putheader("Content-Length", str(length))
            connection.endheaders()
            try:
                for block in blocks or ():
                    connection.send(b"%x\r\n%s\r\n" % (len(block), block) if chunked else block)
                if chunked:
                    connection.send(b"0\r\n\r\n")
            except (BrokenPipeError, ConnectionResetError):
                pass  # the body was rejected unread, so the answer is there
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def _check(self, case: Case, request: dict[str, Any], answer: Answer, expect: dict[str, Any]) -> None:
        allowed = expect["status"] if isinstance(expect["status"], list) else [expect["status"]]
        assert answer.status in allowed, (answer.status, answer.body[:500])
        if answer.headers.get("content-type") == "application/json" and answer.body:
            path = case.fill(request["path"])
            documented.check(request["method"], path, answer.status, answer.headers, answer.json)
        if "json" in expect:
            check(answer.json, case.fill(expect["json"]), whole=True)
        if "json_subset" in expect:
            check(answer.json, case.fill(expect["json_subset"]), whole=False)
        if "text" in expect:
            check(answer.body.decode(), case.fill(expect["text"]), whole=True)
        for name, value in case.fill(expect.get("headers_subset", {})).items():
            _check_header(name, answer.headers.get(name.lower()), value)
        if answer.status >= 400 and case.fill(request["path"]).startswith("/data/") and request["method"] != "HEAD":
            assert answer.headers["content-type"] == "application/json"
            assert answer.headers["cache-control"] == "no-store"
            assert answer.json["status"] == "error"
            assert isinstance(answer.json["message"], str)
            assert not LEAK.search(answer.body.decode()), answer.body
            assert not [word for name, word in case.words.items() if "token" in name and word in answer.body.decode()]

    def _remember(self, case: Case, answer: Answer) -> None:
        if etag := answer.headers.get("etag"):
            case.words["etag"] = etag
        is_data = answer.headers.get("content-type") == "application/json" and answer.body.startswith(b'{"data"')
        if is_data and (cursor := answer.json.get("next_cursor")):
            case.words["next_cursor"] = quote(cursor, safe="")

    def _check_stored(self, case: Case, expected: Any) -> None:
        stored = list(self._all_records(case))
        if isinstance(expected, int):
            assert len(stored) == expected
            return
        assert len(stored) == len(expected), stored
        for wanted in case.fill(expected):
            match = next((one for one in stored if is_like(one, wanted)), None)
            assert match is not None, (wanted, stored)
            stored.remove(match)

    def _all_records(self, case: Case) -> Iterator[dict[str, Any]]:
        path = "/data/{group}/{type}?limit=10000"
        headers = {"Authorization": "Bearer {read_token}"}
        while True:
            answer = self._send(case, {"method": "GET", "path": path, "headers": headers})
            assert answer.status == 200, answer.body
            for record in answer.json["data"]:
                yield {name: value for name, value in record.items() if name not in COMPUTED}
            cursor = answer.json["next_cursor"]
            if cursor is None:
                return
            path = "/data/{group}/{type}?limit=10000&cursor=" + quote(cursor, safe="")


def _post(stored: list[Any]) -> dict[str, Any]:
    headers = {"Authorization": "Bearer {write_token}", "Content-Type": "application/json"}
    return {"method": "POST", "path": "/data/{group}/{type}", "headers": headers, "json": stored}


def body_of(case: Case, request: dict[str, Any]) -> tuple[int, Iterator[bytes] | None]:
    """Return the length of a body and its blocks. Large bodies are never in memory as a whole."""
    for name, coded in (("parts", False), ("gzip_parts", True)):
        if name in request:
            parts = [(case.fill(text).encode(), times) for text, times in request[name]]
            if coded:
                data = _gzip_of(_repeat(parts))
                return len(data), iter([data])
            return sum(len(text) * times for text, times in parts), _repeat(parts)
    data = _plain_body(case, request)
    if data is None:
        return 0, None
    return len(data), iter([data])


def _plain_body(case: Case, request: dict[str, Any]) -> bytes | None:
    if "raw" in request:
        return str(case.fill(request["raw"])).encode()
    if "raw_base64" in request:
        return base64.b64decode(request["raw_base64"])
    if "gzip_raw" in request:
        return gzip.compress(str(case.fill(request["gzip_raw"])).encode())
    for name in ("json", "gzip_json"):
        if name in request:
            data = json.dumps(case.fill(request[name]), ensure_ascii=False, separators=(",", ":")).encode()
            return gzip.compress(data) if name == "gzip_json" else data
    return None


def _repeat(parts: list[tuple[bytes, int]]) -> Iterator[bytes]:
    for text, times in parts:
        at_once = max(1, 65_536 // max(1, len(text)))
        for start in range(0, times, at_once):
            yield text * min(at_once, times - start)


def _gzip_of(blocks: Iterator[bytes]) -> bytes:
    packer = zlib.compressobj(6, wbits=31)
    return b"".join([*(packer.compress(block) for block in blocks), packer.flush()])


def check(given: Any, wanted: Any, *, whole: bool) -> None:
    assert is_like(given, wanted, whole=whole), f"{json.dumps(given)[:1500]}\nis not like\n{json.dumps(wanted)[:1500]}"


def is_like(given: Any, wanted: Any, *, whole: bool = True) -> bool:
    """Compare as the contract states: numbers by value, placeholders by kind, objects as a whole or in part."""
    if isinstance(wanted, str):
        return _is_like_text(given, wanted)
    if isinstance(wanted, dict):
        if not isinstance(given, dict) or (whole and given.keys() != wanted.keys()):
            return False
        return all(name in given and is_like(given[name], inner, whole=whole) for name, inner in wanted.items())
    if isinstance(wanted, list):
        return (
            isinstance(given, list)
            and len(given) == len(wanted)
            and all(is_like(one, other, whole=whole) for one, other in zip(given, wanted, strict=True))
        )
    if isinstance(wanted, bool) or wanted is None or isinstance(given, bool) or not isinstance(given, int | float):
        return type(given) is type(wanted) and given == wanted
    if isinstance(wanted, int) and isinstance(given, int):
        return given == wanted
    return math.isclose(given, wanted, rel_tol=1e-9)


def _is_like_text(given: Any, wanted: str) -> bool:
    if wanted == "<any>":
        return True
    if wanted.startswith("<list:") and wanted.endswith(">"):
        return isinstance(given, list) and len(given) == int(wanted[6:-1])
    if not isinstance(given, str):
        return False
    if wanted.startswith("re:"):
        return re.fullmatch(wanted[3:], given, re.DOTALL) is not None
    forms = {"<string>": re.compile(".*", re.DOTALL), "<uuid>": UUID4, "<timestamp>": TIMESTAMP}
    return forms[wanted].fullmatch(given) is not None if wanted in forms else given == wanted


def _check_header(name: str, given: str | None, wanted: str | None) -> None:
    if wanted is None:
        assert given is None, (name, given)
        return
    assert given is not None, name
    if wanted.startswith("set:"):
        assert {one.strip() for one in given.split(",")} == {one.strip() for one in wanted[4:].split(",")}, (
            name,
            given,
        )
    else:
        assert _is_like_text(given, wanted), (name, given, wanted)
