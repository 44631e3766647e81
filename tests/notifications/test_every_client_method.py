"""The official Python and Node clients, unchanged, with every method except letters, and past 250 rows.

`get_all_template_versions` of the Python client asks for an address outside `/v2`, which no public service answers.
"""

import json
import os
import shutil
import subprocess
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests
from notifications_python_client.errors import HTTPError

from tests.notifications.provisioned import ADDRESS, NUMBER, Provisioned
from tests.service import Service

FOLDER = Path(__file__).parent / "node"
CONTENT = "port,height\nHull,7.1\n"
MANY = 255  # rows; a page has 250
SENDING_THREADS = 8


@pytest.fixture(scope="module")
def library(service: Service) -> Provisioned:
    return Provisioned(
        service,
        {
            "name": f"Library {uuid.uuid4().hex[:8]}",
            "live": True,
            "file_contact": "help@example.org",
            "sms_senders": [{"sender": "LIBRARY", "default": True}, {"sender": "READER", "default": False}],
            "reply_to_addresses": [{"email_address": "reply@example.com", "default": True}],
            "templates": [
                {"type": "sms", "name": "text", "content": "Hello"},
                {"type": "email", "name": "named", "subject": "Hi ((name))", "content": "Dear ((name))"},
            ],
            "api_keys": [{"name": f"{kind}-key", "type": kind} for kind in ("live", "team", "test")],
        },
    )


@pytest.fixture(scope="module")
def reference(library: Provisioned) -> str:
    """Return the reference of MANY messages."""
    reference = str(uuid.uuid4())

    def send(_: int) -> None:
        library.client().send_sms_notification(NUMBER, library.templates["text"], reference=reference)

    with ThreadPoolExecutor(SENDING_THREADS) as pool:
        list(pool.map(send, range(MANY)))
    return reference


@pytest.fixture(scope="module")
def texts(library: Provisioned, service: Service) -> list[str]:
    """Return the texts of MANY received messages, newest first."""
    said = [f"text {number}" for number in range(MANY)]
    document = {"texts": [{"service": library.id, "from": "07700 900124", "content": content} for content in said]}
    done = service.manage("receive_text", "-", input=json.dumps(document))
    assert done.returncode == 0, done.stderr
    return said[::-1]


def test_the_python_client_sends_and_reads_with_every_field(library: Provisioned) -> None:
    client = library.client()
    sender, reply_to = library.row["sms_senders"][1]["id"], library.row["reply_to_addresses"][0]["id"]
    named = library.templates["named"]

    text = client.send_sms_notification(NUMBER, library.templates["text"], reference="r", sms_sender_id=sender)
    email = client.send_email_notification(
        ADDRESS,
        named,
        personalisation={"name": "Jo *"},
        reference="r",
        email_reply_to_id=reply_to,
        one_click_unsubscribe_url="https://example.org/u?x=1",
        sanitise_content_for=["name"],
    )

    assert text["content"] == {"body": "Hello", "from_number": "READER"}
    assert email["content"]["one_click_unsubscribe_url"] == "https://example.org/u?x=1"
    assert email["sanitised_content"] == {"name": {"unsanitised": "Jo *", "sanitised": "Jo \\*"}}
    assert client.get_notification_by_id(email["id"])["email_address"] == ADDRESS
    listed = client.get_all_notifications(
        status=["created", "delivered"], template_type="email", reference="r", include_jobs=True
    )
    assert [row["id"] for row in listed["notifications"]] == [email["id"]]
    older = client.get_all_notifications(reference="r", older_than=email["id"])
    assert [row["id"] for row in older["notifications"]] == [text["id"]]
    assert client.get_template(named)["personalisation"] == {"name": {"required": True}}
    assert client.get_template_version(named, 1)["version"] == 1
    assert [row["type"] for row in client.get_all_templates()["templates"]] == ["email", "sms"]
    assert [row["id"] for row in client.get_all_templates(template_type="email")["templates"]] == [named]
    assert client.post_template_preview(named, {"name": "Jo"})["subject"] == "Hi Jo"


def test_the_python_clients_iterators_continue_after_a_page(
    library: Provisioned, reference: str, texts: list[str]
) -> None:
    client = library.client()

    messages = list(client.get_all_notifications_iterator(reference=reference))
    received = list(client.get_received_texts_iterator())

    assert len({message["id"] for message in messages}) == len(messages) == MANY
    assert [text["content"] for text in received] == texts
    assert len(client.get_received_texts()["received_text_messages"]) == 250
    assert len(client.get_received_texts(older_than=received[249]["id"])["received_text_messages"]) == MANY - 250


def test_letters_are_not_found_with_a_list_of_errors(library: Provisioned) -> None:
    for call in (
        lambda client: client.send_letter_notification(library.templates["text"], {}),
        lambda client: client.get_pdf_for_letter(uuid.uuid4()),
    ):
        with pytest.raises(HTTPError) as told:
            call(library.client())
        assert (told.value.status_code, told.value.message[0]["error"]) == (404, "NotFound")


@pytest.fixture(scope="module")
def node() -> str:
    """Return node and the folder of the official client, which the first use installs."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if program is None or npm is None:
        pytest.skip("the Node client: node and npm are not on this machine")
    if not (FOLDER / "node_modules" / "notifications-node-client").is_dir():
        command = [npm, "ci", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"]
        done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=240)
        if done.returncode:
            pytest.skip(f"the Node client: it could not be installed ({done.stderr.strip()[-200:]})")
    return program


def call_every_method(node: str, library: Provisioned, many: str) -> dict[str, Any]:
    call = {
        "base": library.url,
        "key": library.keys["test"],
        "content": CONTENT,
        "number": NUMBER,
        "address": ADDRESS,
        "reference": str(uuid.uuid4()),
        "many": many,
        "text": library.templates["text"],
        "named": library.templates["named"],
        "sender": library.row["sms_senders"][1]["id"],
        "replyTo": library.row["reply_to_addresses"][0]["id"],
    }
    environment = {**os.environ, "CALL": json.dumps(call)}
    done = subprocess.run(
        [node, "every_method.js"], cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_the_node_client_works_with_every_method(
    node: str, library: Provisioned, reference: str, texts: list[str]
) -> None:
    answers = call_every_method(node, library, reference)

    (sms_status, sms), (email_status, email), (one_status, one) = (answers[name] for name in ("sms", "email", "one"))
    assert (sms_status, email_status, one_status, answers["twoSlashes"]) == (201, 201, 200, 201)
    assert sms["content"] == {"body": "Hello", "from_number": "READER"}
    assert email["content"]["subject"] == "Hi Jo"
    assert email["content"]["one_click_unsubscribe_url"] == "https://example.org/u?x=1"
    assert (one["id"], one["body"]) == (email["id"], "Dear Jo")
    assert [row["id"] for row in answers["filtered"]["notifications"]] == [email["id"]]
    assert answers["failed"]["notifications"] == []
    for name, asks_for_email_address in (("file", True), ("openFile", False)):
        link = answers[name]["content"]["body"].removeprefix("Dear ")
        got = requests.get(link.replace("?", "/download?"), timeout=60, allow_redirects=False)
        assert (got.status_code, got.text) == ((303, "") if asks_for_email_address else (200, CONTENT))
    named = library.templates["named"]
    assert (answers["template"]["id"], answers["version"]["version"], answers["preview"]["body"]) == (
        named,
        1,
        "Dear Jo",
    )
    assert [row["id"] for row in answers["templates"]["templates"]] == [named]
    for pages in (answers["messagePages"], answers["textPages"]):
        assert [len(page) for page in pages] == [250, MANY - 250]
        assert len(set(pages[0] + pages[1])) == MANY
    assert answers["refusal"]["status"] == 400
    assert answers["refusal"]["body"]["errors"][0]["message"] == "phone_number Not enough digits"
