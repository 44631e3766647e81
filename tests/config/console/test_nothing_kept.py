"""After a full run through the console, no secret is stored where it should not be.
Source: docs/reference/console.md §4.3.

A person creates or types every secret once over HTTP: right and wrong passwords, codes, keys, tokens, links,
recipients, ids of records. Then the test searches the logs of all processes, all rows, the queue, Redis and the
requested URLs for each of them.
"""

import json
import re
import uuid
from base64 import b32decode
from pathlib import Path

import pytest
import redis
import requests

from tests.browsing import Browser
from tests.config.accounts.codes import code_of
from tests.conftest import Start
from tests.notifications.tokens import make_token
from tests.service import Service

ROWS = """
import json
from django.apps import apps
from django.contrib.sessions.models import Session
found = {}
for model in apps.get_models(include_auto_created=True):
    rows = [{name: repr(value) for name, value in row.items()} for row in model._base_manager.values()]
    found[model._meta.label] = rows
found["sessions.Session"] += [{"decoded": repr(one.get_decoded())} for one in Session.objects.all()]
print(json.dumps(found))
"""
# Rows that may have a recipient: messages, and lists of allowed or suppressed recipients.
OF_RECIPIENTS = {
    "auth.User",
    "operations.AccountName",
    "notifications.GuestListEntry",
    "notifications.Notification",
    "notifications.SandboxMessage",
    "notifications.Suppression",
    "notifications.TeamMember",
    "notifications.UnsubscribeRequest",
}
OF_RECORDS = {"datasets.Record"}
DONE = {  # verbs of the audit that the run must cause
    *("refused_sign_in", "signed_in", "enrolled_second_factor", "changed_password", "chose_password"),
    *("created", "issued", "invited", "accepted_the_invite_of", "sent", "emptied"),
}


class Secrets:
    """The created and typed values by kind. Each is unlikely to occur by accident."""

    def __init__(self) -> None:
        self.values: dict[str, list[str]] = {"secret": [], "recipient": [], "record": []}

    def secret(self, value: str) -> str:
        assert len(value) > 5, value
        self.values["secret"].append(value)
        return value

    def recipient(self, *spellings: str) -> str:
        self.values["recipient"] += spellings
        return spellings[0]

    def record(self, value: str) -> str:
        self.values["record"].append(value)
        return value

    def in_text(self, text: str, *kinds: str) -> list[str]:
        return [value for kind in kinds or tuple(self.values) for value in self.values[kind] if value in text]


def shown(page: requests.Response, pattern: str) -> str:
    found = re.search(pattern, page.text)
    assert found, (page.url, page.status_code, pattern, re.findall(r'role="alert">(.*?)</div>', page.text, re.DOTALL))
    return found[1]


def run_through(service: Service, secrets: Secrets) -> list[str]:
    """Do all of the work once and return the requested URLs, except links with a token."""
    first, second = secrets.secret("Pq7-first-password"), secrets.secret("Pq7-second-password")
    name = f"mina-{uuid.uuid4().hex[:8]}"
    make = f"from django.contrib.auth.models import User; User.objects.create_superuser('{name}', '', '{first}')"
    assert service.manage("shell", "-c", make).returncode == 0
    mina = Browser(service.url)

    # Signing in, also with wrong values; the second factor; another password.
    mina.fill("/admin/login/", username=name, password=secrets.secret("Pq7-wrong-password"))
    mina.fill("/admin/login/", username=secrets.recipient("zq7.typed@example.org"), password=first)
    assert "Sign out" in mina.fill("/admin/login/", username=name, password=first).text
    square = mina.fill("/admin/account/second-factor/", step="begin")
    spelled = secrets.secret(shown(square, r'id="copy-secret"[^>]*value="([a-z2-7-]+)"'))
    key = b32decode(secrets.secret(spelled.replace("-", "")).upper() + "=" * (-len(spelled.replace("-", "")) % 8))
    codes = mina.fill_on(square, step="confirm", code=code_of(key))
    recovery = re.findall(r"\b(?:[a-z2-7]{4}-){3}[a-z2-7]{4}\b", codes.text)
    assert [secrets.secret(code) for code in recovery]
    changed = mina.fill("/admin/password_change/", old_password=first, new_password=second, again=second)
    assert "Your password is changed." in changed.text
    away = Browser(service.url)
    away.fill_on(away.fill("/admin/login/", username=name, password=second), code=secrets.secret("wrong-code-Pq7"))
    away.fill("/admin/login/code/", code=recovery[0])
    assert "Sign out" in away.get("/admin/").text
    away.fill("/admin/confirm/?next=/admin/account/", password=secrets.secret("Pq7-not-mine-either"))

    # A service with people, senders, a callback, a template and a key.
    tides = f"Tides {uuid.uuid4().hex[:8]}"
    mina.fill("/admin/notifications/service/add/", name=tides, permissions=["email", "sms"])
    listed = mina.get("/admin/notifications/service/")
    service_id = shown(listed, rf"/admin/notifications/service/([0-9a-f-]{{36}})/[^>]*>(?:<[^>]*>)*\s*{tides}")
    guests = secrets.recipient("zq7.guest@example.org") + "\r\n" + secrets.recipient("07700 900471", "447700900471")
    mina.fill("/admin/notifications/guestlistentry/add/", "save", service=service_id, entries=guests)
    member = secrets.recipient("zq7.member@example.org")
    made = mina.fill(
        "/admin/notifications/teammember/add/", service=service_id, email_address=member, roles=["see_activity"]
    )
    link = shown(made, r"(/admin/notifications/teammember/join/\?token=[\w-]{40,})")
    secrets.secret(link.partition("token=")[2])
    joining = Browser(service.url)
    typed = secrets.secret("Pq7-password-of-jo")
    joining.fill(link, username=f"jo-{uuid.uuid4().hex[:8]}", password=typed, again=typed)
    made = mina.fill(
        "/admin/notifications/callbackendpoint/add/",
        service=service_id,
        kind="received_text_message",  # no text is received, so no callback is sent
        url="https://93.184.215.14/texts",
        bearer_token=secrets.secret("Pq7-bearer-token"),
        is_signed="on",
    )
    secrets.secret(shown(made, r'value="(whsec_[^"]+)"'))
    made = mina.fill(
        "/admin/notifications/template/add/",
        service=service_id,
        type="email",
        name="Tide table",
        subject="Tide of ((day))",
        content="High water, ((name))",
    )
    template_id = shown(made, r"/admin/notifications/template/([0-9a-f-]{36})/")
    made = mina.fill("/admin/notifications/apikey/add/", service=service_id, name="pay-app", key_type="test")
    whole = secrets.secret(shown(made, r'id="copy-secret"[^>]*value="([^"]+)"'))
    secret = secrets.secret(whole[-36:])

    # Messages by API and console, and searches for them.
    token = secrets.secret(make_token(service_id, secret))
    recipient = secrets.recipient("zq7.ana@example.org")
    for bearer, to in ((token, recipient), (token, secrets.recipient("zq7.not-an-address@")), (token[:-2], recipient)):
        requests.post(
            f"{service.url}/v2/notifications/email",
            json={"email_address": to, "template_id": template_id, "personalisation": {"day": "1", "name": "A"}},
            headers={"Authorization": f"Bearer {bearer}"},
            timeout=30,
        )
    send = f"/admin/notifications/notification/send/?template={template_id}"
    by_hand = {"recipient": secrets.recipient("zq7.bo@example.org"), "value-0": "2", "value-1": "B", "kind": "test"}
    message = mina.fill_on(mina.fill(send, "check", **by_hand), "send", **by_hand)
    assert re.search(r"/notification/[0-9a-f-]{36}/", message.url), message.url
    log = "/admin/notifications/notification/"
    for term in ("zq7.bo@example.org", secrets.recipient("zq7.nobody"), "to:07700 900471"):
        assert "search" in mina.fill(log, term=term).url
    mina.get(f"{log}?recipient__contains=zq7")

    # A data set, its tokens and its records.
    group = f"g{uuid.uuid4().hex[:8]}"
    made = mina.fill("/admin/datasets/dataset/add/", group_name=group, type_name="volumes")
    write = secrets.secret(shown(made, r'id="copy-secret"[^>]*value="(ds_[\w-]{43})"'))
    address = f"{service.url}/data/{group}/volumes"
    record = {"_timestamp": "2024-01-01T00:00:00Z", "_id": secrets.record("zq7-record-of-ana"), "n": 1}
    for bearer, body in ((write, [record]), (write, [{"_id": record["_id"]}]), (write[:-2] + "xx", [record])):
        requests.post(address, json=body, headers={"Authorization": f"Bearer {bearer}"}, timeout=30)
    data_set = shown(mina.get(f"/admin/datasets/dataset/?q={group}"), r"/admin/datasets/dataset/(\d+)/overview/")
    mina.fill(f"/admin/datasets/dataset/{data_set}/records/", record_id=record["_id"])
    mina.fill(f"/admin/datasets/dataset/{data_set}/empty/", name=f"{group}/volumes")

    # An account with a link, which its owner opens.
    made = mina.fill("/admin/auth/user/add/", username=f"sam-{uuid.uuid4().hex[:8]}", email="zq7.staff@example.org")
    link = shown(made, r'value="[^"]*(/admin/choose-password/\?token=[\w-]+)"')
    secrets.secret(link.partition("token=")[2])
    sam = Browser(service.url)
    typed = secrets.secret("Pq7-password-of-sam")
    sam.fill(link, password=secrets.secret("Pq7-pass-one"), again=secrets.secret("Pq7-pass-two"))
    sam.fill(link, password=typed, again=typed)
    for place in ("/admin/operations/audit/", "/admin/operations/clean-up/", "/admin/notifications/apikey/", "/admin/"):
        assert mina.get(place).status_code == 200
    return [*mina.visited, *away.visited]


@pytest.fixture(scope="module")
def service(start_service: Start) -> Service:
    """A service for this module only, because all its rows and logs are searched."""
    service = start_service()
    service.start_worker()
    return service


@pytest.fixture(scope="module")
def kept(service: Service) -> tuple[Secrets, list[str]]:
    secrets = Secrets()
    return secrets, run_through(service, secrets)


@pytest.mark.fault("T4")
def test_no_secret_is_stored_after_a_full_run(service, kept):
    secrets, visited = kept
    dumped = service.manage("shell", "-v", "0", "-c", ROWS)
    assert dumped.returncode == 0, dumped.stderr
    tables = json.loads(dumped.stdout.splitlines()[-1])
    var = Path(service.environment["VAR_DIR"])
    database = service.environment["DATABASE_URL"].removeprefix("sqlite:///")
    files = [path for path in var.rglob("*") if path.is_file() and not str(path).startswith(database)]

    found = {f"address {url}": secrets.in_text(url) for url in visited}
    for program in service.folder.glob("*.log"):
        found[f"log {program.name}"] = secrets.in_text(program.read_text())
    for label, rows in tables.items():
        kinds = ["secret"]
        kinds += [] if label in OF_RECIPIENTS else ["recipient"]
        kinds += [] if label in OF_RECORDS else ["record"]
        found[f"table {label}"] = secrets.in_text(json.dumps(rows, ensure_ascii=False), *kinds)
    for path in files:
        found[f"file {path.relative_to(var)}"] = secrets.in_text(path.read_bytes().decode(errors="replace"))
    found |= {f"redis {name}": secrets.in_text(text) for name, text in in_redis(service).items()}

    assert {"log web.log", "log worker.log", "table sessions.Session", "table admin.LogEntry"} <= set(found)
    assert {row["verb"].strip("'") for row in tables["operations.AuditEvent"]} >= DONE
    assert len(tables["operations.SavedSearch"]) == 3
    assert len(tables["notifications.Notification"]) == 2
    assert len(tables["datasets.WriteError"]) == 1
    assert tables["sessions.Session"]
    assert not tables["admin.LogEntry"]
    assert {place: what for place, what in found.items() if what} == {}


def in_redis(service: Service) -> dict[str, str]:
    """Return every value of the service's Redis database, or nothing without Redis."""
    url = service.environment.get("REDIS_URL")
    if not url:
        return {}
    found = {}
    with redis.Redis.from_url(url) as client:
        for name in client.scan_iter():
            kept = client.dump(name) or b""
            found[name.decode(errors="replace")] = (name + kept).decode(errors="replace")
    return found


def test_the_search_finds_planted_secrets(service, kept):
    """Secrets that are planted in a log, a session and a row are found, so the search above works."""
    secrets, _ = kept
    value = secrets.values["secret"][0]
    plant = f"""
from django.contrib.sessions.backends.db import SessionStore
store = SessionStore()
store["typed"] = {value!r}
store.save()
"""
    assert service.manage("shell", "-c", plant).returncode == 0

    tables = json.loads(service.manage("shell", "-v", "0", "-c", ROWS).stdout.splitlines()[-1])

    assert secrets.in_text(json.dumps(tables["sessions.Session"])) == [value]
