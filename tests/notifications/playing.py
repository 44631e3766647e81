"""Play the vectors of the sending contract over HTTP. Source: docs/reference/sending-api.md §1.

A vector is steps of requests and what must come back. Values in braces are filled in; expected strings may be patterns.
"""

import base64
import contextlib
import copy
import json
import re
import time
import uuid
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any

import requests

from tests import documented
from tests.notifications.patterns import NOTHING, at_path, check_subset, matches
from tests.notifications.tokens import make_token
from tests.receivers import Posted, Receiver

EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-" + rb"STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"  # in two pieces
REPLACED_ROWS = {"templates", "api_keys"}  # by name, in a provision step; all others are replaced as a whole
TRIES_WITHIN_A_SECOND = 20
SECONDS_OF_RATE_LIMIT = 60
_NOT_OF_THE_TOKEN = {"key", "scheme", "raw_token", "iss_case", "secret_case"}
_TOKEN = re.compile(r"\{([^{}\"\n]+)\}")
_NUMBERS = re.compile(r"\{(now_ms|now_float|epoch[+-]\d+)\}")


def service_for(given: str | Mapping[str, Any], fixture: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provision document of a vector's service: one of the fixture, or a copy of one."""
    by_name = {service["name"]: service for service in fixture["services"]}
    if isinstance(given, str):
        return dict(by_name[given])
    changes = {name: value for name, value in given.items() if name != "like"}
    fresh = {**copy.deepcopy(by_name[given["like"]]), **copy.deepcopy(changes), "id": str(uuid.uuid4())}
    for rows in ("sms_senders", "reply_to_addresses", "templates"):
        for row in fresh.get(rows, []):
            row["id"] = str(uuid.uuid4())
    for key in fresh.get("api_keys", []):
        key["secret"] = str(uuid.uuid4())
    return fresh


class Refused(AssertionError):
    """An answer differs from the vector."""


@dataclass(slots=True)
class Play:
    """One vector that is played against the service at `base`."""

    base: str
    service: dict[str, Any]
    other: Mapping[str, Any]
    manage: Any  # runs one command with the service's environment
    receiver: Receiver | None = None  # of the service's callback
    run: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    unused: str = field(default_factory=lambda: str(uuid.uuid4()))
    saved: dict[str, Any] = field(default_factory=dict)

    def vector(self, vector: Mapping[str, Any]) -> None:
        """Send the requests of a vector. Raise Refused if an answer differs from it."""
        for step in vector["given"].get("before", []):
            self.step(step)
        if vector["expect"].get("within_s", 0) > SECONDS_OF_RATE_LIMIT:
            self.let_a_minute_pass()
        self.request(vector["request"], vector["expect"])
        if "callback" in vector["expect"]:
            self.callback(vector["expect"]["callback"])

    def let_a_minute_pass(self) -> None:
        moving = f"from tests.notifications import rate_window; rate_window.move_back({self.service['id']!r})"
        done = self.manage("shell", "-v", "0", "-c", moving)
        if done.returncode:
            raise Refused(done.stderr)

    def step(self, step: Mapping[str, Any]) -> None:
        if "sleep" in step:
            time.sleep(step["sleep"])
        elif "provision" in step:
            self.provision(step["provision"])
        elif "repeat" in step:
            self.repeat(step)
        else:
            answer = self.request(step["request"], step.get("expect", {}))
            for name, path in step.get("save", {}).items():
                self.saved[name] = at_path(answer, path)

    def repeat(self, step: Mapping[str, Any]) -> None:
        counted: Counter[str] = Counter()

        def once(_: int) -> None:
            response = self.send(step["request"])
            counted[str(response.status_code)] += 1
            if "tally" not in step and "tally_in" not in step:
                self.check(response, step.get("expect", {}))

        with ThreadPoolExecutor(step.get("parallel", 1)) as pool:
            list(pool.map(once, range(step["repeat"])))
        if "tally" in step and dict(counted) != step["tally"]:
            raise Refused(f"{dict(counted)} instead of {step['tally']}")
        if "tally_in" in step and not set(map(int, counted)) <= set(step["tally_in"]):
            raise Refused(f"{dict(counted)} instead of only {step['tally_in']}")

    def provision(self, changes: Mapping[str, Any]) -> None:
        for name, value in changes.items():
            if name in REPLACED_ROWS:
                rows = {row["name"]: row for row in self.service[name]}
                for row in value:
                    rows.setdefault(row["name"], {}).update(row)
                self.service[name] = list(rows.values())
            else:
                self.service[name] = value
        done = self.manage("provision", "-", input=json.dumps({"services": [self.service]}))
        if done.returncode:
            raise Refused(done.stderr)

    def request(self, request: Mapping[str, Any], expect: Mapping[str, Any]) -> Any:
        """Send until the answer is as expected or the time is over. Return the body."""
        deadline = time.monotonic() + (expect["within_s"] + 30 if "within_s" in expect else 0)
        pause = 0.1
        while True:
            response = self.send(request)
            try:
                return self.check(response, expect)
            except Refused:
                if time.monotonic() > deadline:
                    raise
                time.sleep(pause)
                pause = min(pause * 1.3, 2)

    def send(self, request: Mapping[str, Any]) -> requests.Response:
        """Sign a token with its own time and send it within a second, because vectors are off by one second."""
        if "iat_offset" not in (request.get("jwt") or {}):
            return self.send_once(request)
        for _ in range(TRIES_WITHIN_A_SECOND):
            time.sleep(1 - time.time() % 1)
            second = int(time.time())
            response = self.send_once(request)
            if int(time.time()) == second:
                return response
        raise Refused("no answer came within the second in which its token was signed")

    def send_once(self, request: Mapping[str, Any]) -> requests.Response:
        body: bytes | None = None
        if "json" in request:
            body = json.dumps(self.filled(request["json"])).encode()
        elif "raw" in request:
            body = str(self.filled(request["raw"])).encode()
        elif "raw_b64" in request:
            body = base64.b64decode(request["raw_b64"])
        headers = {"Content-Type": "application/json"} if body is not None else {}
        token = self.authorization(request.get("jwt", {"key": "live"}))
        headers |= {"Authorization": token} if token else {}
        headers |= self.filled(request.get("headers", {}))
        kept = {name: value for name, value in headers.items() if value is not None}
        path = self.filled(request["path"])
        address = path if path.startswith("http") else self.base + path
        # A new connection each time, so that no answer can affect the next request.
        with requests.Session() as session:
            session.trust_env = False  # it would read the environment, which pytest changes while the threads run
            return session.request(
                request["method"], address, data=body, headers=kept, timeout=60, allow_redirects=False
            )

    def check(self, response: requests.Response, expect: Mapping[str, Any]) -> Any:
        try:
            body = response.json()
        except ValueError as error:
            raise Refused(f"{response.status_code}, no JSON: {response.text[:300]}") from error
        if response.status_code >= 400:
            self.check_envelope(response.status_code, body)
        with self.told(response):
            sent = response.request
            documented.check(str(sent.method), str(sent.url), response.status_code, response.headers, body)
            if "status" in expect:
                self.equal(response.status_code, expect["status"], "status")
            if "errors" in expect:
                told = [{"error": entry["error"], "message": entry["message"]} for entry in body["errors"]]
                check_subset(told, self.filled(expect["errors"]), body)
            if "json_subset" in expect:
                check_subset(body, self.filled(expect["json_subset"]), body, self.saved)
            for path in expect.get("json_absent", []):
                self.equal(at_path(body, path, NOTHING), NOTHING, path)
            for path, keys in expect.get("json_keys", {}).items():
                self.equal(sorted(at_path(body, path)), sorted(keys), path)
            for path, length in expect.get("lengths", {}).items():
                self.equal(len(at_path(body, path)), length, path)
            for path, other in expect.get("first_uuid", {}).items():
                first = re.search(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", at_path(body, path))
                self.equal(first and first[0], at_path(body, other), path)
            for name, value in expect.get("headers", {}).items():
                if not matches(response.headers.get(name), self.filled(value), body):
                    raise Refused(f"header {name}: {response.headers.get(name)!r} instead of {value!r}")
        return body

    @staticmethod
    def check_envelope(status: int, body: Any) -> None:
        """Check that an answer from 400 up has the error body and no `message` at the top level."""
        is_envelope = (
            isinstance(body, dict)
            and body.get("status_code") == status
            and "message" not in body
            and body.get("errors")
            and all(isinstance(entry.get("error"), str) and entry.get("message") for entry in body["errors"])
        )
        if not is_envelope:
            raise Refused(f"no envelope: {body}")

    @staticmethod
    def equal(found: object, expected: object, where: str) -> None:
        if found != expected:
            raise Refused(f"{where}: {found!r} instead of {expected!r}")

    @staticmethod
    @contextlib.contextmanager
    def told(response: requests.Response) -> Any:
        try:
            yield
        except (AssertionError, LookupError, TypeError) as error:
            raise Refused(f"{error}\n{response.status_code} {response.text[:600]}") from error

    def callback(self, expect: Mapping[str, Any]) -> None:
        """Wait for the expected callbacks, and check that no other arrives."""
        if self.receiver is None:
            raise Refused("the vector gives no callback")
        times = expect.get("times", 1)
        try:
            posted = self.receiver.wait_for(times, expect["within_s"])
        except TimeoutError as error:
            raise Refused(f"{len(self.receiver.posted)} callbacks instead of {times}") from error
        time.sleep(expect.get("then_none_for_s", 0))
        self.equal(len(self.receiver.posted), times, "callbacks")
        for one in posted:
            self.check_posted(one, expect)

    def check_posted(self, posted: Posted, expect: Mapping[str, Any]) -> None:
        body = json.loads(posted.body)
        if "json_keys" in expect:
            self.equal(sorted(body), sorted(expect["json_keys"]), "keys of a callback")
        check_subset(body, self.filled(expect.get("json_subset", {})), body, self.saved)
        for name, value in expect.get("headers", {}).items():
            if not matches(posted.headers.get(name), self.filled(value), body):
                raise Refused(f"header {name} of a callback is not {value!r}")

    def authorization(self, jwt: Mapping[str, Any] | None) -> str | None:
        if jwt is None:
            return None
        scheme = jwt.get("scheme", "Bearer")
        return f"{scheme} {jwt['raw_token'] if 'raw_token' in jwt else self.token(jwt)}"

    def token(self, jwt: Mapping[str, Any]) -> str:
        key = jwt.get("key", "live")
        caller = self.other if key == "other-service" else self.service
        issuer, secret = caller["id"], self.secret(key)
        if jwt.get("iss_case") == "upper":
            issuer = issuer.upper()
        if jwt.get("secret_case") == "upper":
            secret = secret.upper()
        forms = {name: self.filled(value) for name, value in jwt.items() if name not in _NOT_OF_THE_TOKEN}
        return make_token(issuer, secret, **forms)

    def secret(self, key: str) -> str:
        if key == "wrong-secret":
            return str(uuid.uuid4())
        owner = self.other if key in {"other-service", "foreign-secret"} else self.service
        name = "live" if owner is self.other else key
        return next(row["secret"] for row in owner["api_keys"] if row["name"] == f"{name}-key")

    def filled(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self.filled(name): self.filled(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.filled(inner) for inner in value]
        if not isinstance(value, str):
            return value
        if number := _NUMBERS.fullmatch(value):
            return _number(number[1])
        return _TOKEN.sub(lambda match: self.fill(match[1], match[0]), value)

    def fill(self, token: str, unknown: str) -> str:
        """Return the value of a placeholder, or the placeholder itself if it is a pattern."""
        word, _, rest = token.partition(":")
        if word == "repeat":
            text, _, times = rest.rpartition(":")
            return text * int(times)
        if word == "b64_repeat":
            text, _, times = rest.rpartition(":")
            return base64.b64encode((text * int(times)).encode()).decode()
        if word in {"upper", "nohyphen"}:
            inner = self.fill(rest, rest)
            return inner.upper() if word == "upper" else inner.replace("-", "")
        fixed = {"base": self.base, "run": self.run, "unused": self.unused, "eicar": base64.b64encode(EICAR).decode()}
        if token in fixed:
            return fixed[token]
        if token == "now_string":
            return str(int(time.time()))
        if moment := re.fullmatch(r"(isoz?)([+-]\d+?)([+-]\d{4})?", token):
            return _iso(int(moment[2]), moment[3])
        if token.startswith("saved."):
            return str(self.saved[token.removeprefix("saved.")])
        if token == "callback_token":
            return str(self.service["callbacks"]["delivery_status"]["bearer_token"])
        owner = self.other if token.startswith("Other.") else self.service
        return _of_service(owner, token.removeprefix("Other.")) or unknown


def _of_service(service: Mapping[str, Any], token: str) -> str | None:
    kind, _, name = token.partition(".")
    rows, text = {
        "template": ("templates", "name"),
        "sender": ("sms_senders", "sender"),
        "reply_to": ("reply_to_addresses", "email_address"),
    }.get(kind, ("", ""))
    if token == "service.id":
        return str(service["id"])
    if not rows:
        return None
    by_default = {"default": True, "other": False}
    is_wanted = partial(_is_wanted, name=name, text=text, by_default=by_default)
    return str(next(row["id"] for row in service[rows] if is_wanted(row)))


def _is_wanted(row: Mapping[str, Any], *, name: str, text: str, by_default: Mapping[str, bool]) -> bool:
    if name in by_default and "default" in row:
        return bool(row["default"]) is by_default[name]
    return bool(row[text] == name)


def _number(token: str) -> float:
    now = time.time()
    if token == "now_ms":
        return int(now * 1000)
    return now if token == "now_float" else int(now) + int(token.removeprefix("epoch"))


def _iso(seconds: int, zone: str | None) -> str:
    moment = datetime.now(UTC) + timedelta(seconds=seconds)
    if zone is None:
        return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:])) * (-1 if zone[0] == "-" else 1)
    return f"{moment.astimezone(timezone(offset)):%Y-%m-%dT%H:%M:%S}{zone}"
