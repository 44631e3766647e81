"""The calls of the sandbox: read what would have arrived, and choose what happens next."""

from typing import Any

from signalbox._calls import Call, get, segment, send

_API = "/sandbox/api"
WAIT_SECONDS = 10


def messages(
    to: str | None = None,
    *,
    channel: str | None = None,
    reference: str | None = None,
    since: str | None = None,
    wait: int = 0,
) -> Call[Any]:
    """Return the messages in the inbox, newest first. wait: the seconds to wait for the first one

    >>> client.sandbox.messages("nobody@example.org")["messages"]
    []
    """
    return get(
        f"{_API}/messages",
        credentials="sandbox",
        to=to,
        channel=channel,
        ref=reference,
        since=since,
        wait=wait or None,
    )


def choose_outcome(message_id: str, outcome: str, *, seconds: int = 0, reply: str = "") -> Call[Any]:
    """Choose what happens next to one message, by its id or the id of its entry in the inbox.

    >>> client.sandbox.choose_outcome(sent_id, "complaint")["status"]
    'delivered'
    """
    body = {"outcome": outcome, "seconds": seconds, "reply": reply}
    return send("POST", f"{_API}/messages/{segment(message_id)}/outcome", body, credentials="sandbox")


def release(message_id: str, to: str) -> Call[Any]:
    """Send one message of the inbox for real, to a member of the team.

    >>> client.sandbox.release("00000000-0000-0000-0000-000000000000", "team@example.org")
    Traceback (most recent call last):
    signalbox.errors.NotFound: No result found
    """
    return send("POST", f"{_API}/messages/{segment(message_id)}/release", {"to": to}, credentials="sandbox")


def rules() -> Call[Any]:
    """Return the rules that choose outcomes, newest first.

    >>> client.sandbox.rules()["rules"]
    []
    """
    return get(f"{_API}/rules", credentials="sandbox")


def add_rule(
    outcome: str,
    *,
    to: str | None = None,
    channel: str | None = None,
    template_id: str | None = None,
    seconds: int = 0,
    reply: str | None = None,
) -> Call[Any]:
    """Add a rule for messages that are sent from now on. to: a recipient, or a pattern such as `*@fail.test`

    >>> client.sandbox.remove_rule(client.sandbox.add_rule("hard-bounce", to="*@fail.test")["id"])
    """
    body = {
        "outcome": outcome,
        "recipient": to,
        "channel": channel,
        "template_id": template_id,
        "seconds": seconds,
        "reply": reply,
    }
    return send("POST", f"{_API}/rules", body, credentials="sandbox")


def remove_rule(rule_id: str) -> Call[Any]:
    """Remove one rule.

    >>> client.sandbox.remove_rule("00000000-0000-0000-0000-000000000000")
    Traceback (most recent call last):
    signalbox.errors.NotFound: No result found
    """
    return send("DELETE", f"{_API}/rules/{segment(rule_id)}", credentials="sandbox")


def advance_clock(seconds: int, service_id: str | None = None) -> Call[Any]:
    """Move the test clock of one service, or of all.

    >>> client.sandbox.advance_clock(1, service_id)["advanced_seconds"]
    1
    """
    body = {"advance_seconds": seconds, "service_id": service_id}
    return send("POST", f"{_API}/clock", body, credentials="sandbox")


def set_hook(name: str, *, status: int = 200, delay_seconds: int = 0) -> Call[Any]:
    """Create a webhook, or change how it answers.

    >>> client.sandbox.set_hook("orders", status=500)["status"]
    500
    """
    body = {"status": status, "delay_seconds": delay_seconds}
    return send("PUT", f"{_API}/hooks/{segment(name)}", body, credentials="sandbox", is_repeatable=True)


def remove_hook(name: str) -> Call[Any]:
    """Delete a webhook with its calls.

    >>> client.sandbox.remove_hook("orders")
    """
    return send("DELETE", f"{_API}/hooks/{segment(name)}", credentials="sandbox", is_repeatable=True)


def hook_calls(name: str, *, wait: int = 0) -> Call[Any]:
    """Return the calls that a webhook has kept, newest first.

    >>> client.sandbox.hook_calls("orders")["calls"]
    []
    """
    return get(f"{_API}/hooks/{segment(name)}/calls", credentials="sandbox", wait=wait or None)


def repeat_hook_call(name: str, call_id: str, url: str) -> Call[Any]:
    """Post a kept call to the URL of a local program, and return its response.

    >>> client.sandbox.repeat_hook_call("orders", "00000000-0000-0000-0000-000000000000", "http://127.0.0.1:5000/")
    Traceback (most recent call last):
    signalbox.errors.NotFound: No result found
    """
    path = f"{_API}/hooks/{segment(name)}/calls/{segment(call_id)}/repeat"
    return send("POST", path, {"url": url}, credentials="sandbox")
