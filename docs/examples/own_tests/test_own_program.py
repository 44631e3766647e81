"""Test your own program with the fixture `signalbox`: a script, a Flask program and a Django program."""

import json

import django_app
import flask_app
import orders
import pytest
from django.test import Client


@pytest.fixture(autouse=True)
def variables(signalbox, monkeypatch):
    """Point the program to the service under test."""
    monkeypatch.setenv("SIGNALBOX_API", signalbox.url)
    monkeypatch.setenv("SIGNALBOX_KEY", signalbox.key)
    monkeypatch.setenv("CONFIRMATION_TEMPLATE", signalbox.environment["Confirmation"])
    monkeypatch.setenv("SIGNING_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    monkeypatch.setenv("CALLBACK_TOKEN", "a-token-of-the-tests")


def test_the_script_confirms_an_order(signalbox):
    orders.confirm("ana@example.org", "Ana")

    assert "the order" in signalbox.wait_for_email("ana@example.org", contains="Ana")["text"]


def test_the_flask_program_notes_an_email_address_that_bounces(signalbox):
    signalbox.outcome("hard-bounce", to="*@bounces.example")
    program = flask_app.app.test_client()
    program.post("/orders", json={"email": "bo@bounces.example", "name": "Bo", "callback_url": signalbox.hook.url})

    call = signalbox.wait_for_callback()
    answer = program.post("/callbacks", data=call["body"], headers=call["headers"])

    assert (answer.status_code, flask_app.unreachable) == (204, {"bo@bounces.example"})


def test_the_django_program_keeps_a_reply_and_refuses_a_false_signature(signalbox):
    signalbox.client.sandbox.set_hook("texts")
    signalbox.outcome("reply", to="447700900456", reply="When do you open?")
    signalbox.client.send_sms_notification("07700 900456", signalbox.environment["Reminder"])

    (call,) = signalbox.client.sandbox.hook_calls("texts", wait=10)["calls"]
    headers = {name: value for name, value in call["headers"].items() if name.lower().startswith("webhook")}
    sent = Client().post("/callbacks", call["body"], content_type="application/json", headers=headers)
    false = json.dumps({**json.loads(call["body"]), "type": "received_email"})

    assert (sent.status_code, django_app.texts, call["signature"]) == (204, ["When do you open?"], "right")
    assert Client().post("/callbacks", false, content_type="application/json", headers=headers).status_code == 401
