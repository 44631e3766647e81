"""The calls for templates, bulk sends and suppressions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from signalbox._calls import Call, get, once, segment, send

BULK = "/v2/notifications/bulk"
SUPPRESSIONS = "/v2/suppressions"


def get_api_key() -> Call[dict[str, Any]]:
    """Return the name, the type, the service and the limits of the API key in use.

    >>> client.get_api_key()["type"]
    'test'
    """
    return get("/v2/api-key")


def get_template(template_id: str) -> Call[dict[str, Any]]:
    """Return the published version of a template.

    >>> client.get_template(email_template)["name"]
    'Visit booked'
    """
    return get(f"/v2/template/{segment(template_id)}")


def get_template_version(template_id: str, version: int) -> Call[dict[str, Any]]:
    """Return one version of a template.

    >>> client.get_template_version(email_template, 1)["version"]
    1
    """
    return get(f"/v2/template/{segment(template_id)}/version/{version}")


def get_all_templates(template_type: str | None = None) -> Call[dict[str, Any]]:
    """Return all templates of the service.

    >>> {one["type"] for one in client.get_all_templates("sms")["templates"]}
    {'sms'}
    """
    return get("/v2/templates", type=template_type)


def post_template_preview(
    template_id: str, personalisation: Mapping[str, Any] | None = None, *, language: str | None = None
) -> Call[dict[str, Any]]:
    """Return the filled text of a template, without sending it.

    >>> client.post_template_preview(email_template, {"name": "Ana", "items": ["a"]})["subject"]
    'Your visit is booked, Ana'
    """
    body = {"personalisation": personalisation or {}, "language": language}
    return send("POST", f"/v2/template/{segment(template_id)}/preview", body, is_repeatable=True)


def get_managed_template(template_id: str) -> Call[dict[str, Any]]:
    """Return a template with all its settings, translations and drafts. The key must be allowed to manage templates.

    >>> client.get_managed_template(email_template)["unsubscribe_link"]
    False
    """
    return get(f"/v2/templates/{segment(template_id)}")


def create_template(**fields: Any) -> Call[dict[str, Any]]:
    """Create a template. The key must be allowed to manage templates. Fields: `name`, `type`, `body`, `subject`, …

    >>> client.create_template(name=new_name, type="sms", body="High water at ((time))")["version"]
    1
    """
    return send("POST", "/v2/templates", fields)


def update_template(template_id: str, **fields: Any) -> Call[dict[str, Any]]:
    """Change a template. With `state="draft"` the text becomes its draft.

    >>> client.update_template(own_template, body="Low water at ((time))", state="draft")["id"] == own_template
    True
    """
    return send("PATCH", f"/v2/templates/{segment(template_id)}", fields)


def send_bulk(
    template_id: str,
    rows: Iterable[Sequence[Any]] | None = None,
    *,
    csv: str | None = None,
    name: str,
    scheduled_for: datetime | str | None = None,
    reference: str | None = None,
    language: str | None = None,
    reply_to_id: str | None = None,
    idempotency_key: str | None = None,
    dry_run: bool = False,
) -> Call[dict[str, Any]]:
    """Send one template to every row of a table. The first row names the columns.

    >>> table = [["email address", "name", "items"], ["ana@example.org", "Ana", "a passport"]]
    >>> client.send_bulk(email_template, table, name="Invitations")["data"]["notification_count"]
    1
    """
    body = {
        "template_id": template_id,
        "name": name,
        "rows": None if rows is None else [list(row) for row in rows],
        "csv": csv,
        "scheduled_for": scheduled_for,
        "reference": reference,
        "language": language,
        "reply_to_id": reply_to_id,
    }
    return once(BULK, body, idempotency_key, dry_run="true" if dry_run else None)


def get_bulk_send(bulk_send_id: str) -> Call[dict[str, Any]]:
    """Return a bulk send with its progress.

    >>> client.get_bulk_send(bulk_id)["rows"]["waiting"]
    1
    """
    return get(f"{BULK}/{segment(bulk_send_id)}")


def get_all_bulk_sends(job_status: str | None = None, older_than: str | None = None) -> Call[dict[str, Any]]:
    """Return the newest bulk sends.

    >>> sorted(client.get_all_bulk_sends())
    ['bulk_sends', 'links']
    """
    return get(BULK, job_status=job_status, older_than=older_than)


def get_bulk_rows(bulk_send_id: str, state: str | None = None, after: int | None = None) -> Call[dict[str, Any]]:
    """Return the rows of a bulk send with the statuses of their messages, a page at a time.

    >>> client.get_bulk_rows(bulk_id)["rows"][0]["to"]
    'ana@example.org'
    """
    return get(f"{BULK}/{segment(bulk_send_id)}/rows", state=state, after=after)


def change_bulk_send(bulk_send_id: str, action: str) -> Call[dict[str, Any]]:
    """Do one of `pause`, `resume`, `cancel` and `retry-failed` with a bulk send.

    >>> client.change_bulk_send(bulk_id, "cancel")["data"]["job_status"]
    'cancelled'
    """
    return send("POST", f"{BULK}/{segment(bulk_send_id)}/{segment(action)}")


def get_suppressions(
    template_type: str | None = None, reason: str | None = None, older_than: str | None = None
) -> Call[dict[str, Any]]:
    """Return the newest suppressions of the service.

    >>> isinstance(client.get_suppressions()["suppressions"], list)
    True
    """
    return get(SUPPRESSIONS, type=template_type, reason=reason, older_than=older_than)


def add_suppression(recipient: str, *, note: str | None = None, expires_at: datetime | str | None = None) -> Call[Any]:
    """Suppress an email address or a phone number for the service. A key for tests cannot do it.

    >>> client.add_suppression("bo@example.org")
    Traceback (most recent call last):
    signalbox.errors.InvalidRequest: Can't change suppressions using a test API key
    """
    return send("POST", SUPPRESSIONS, {**_named(recipient), "note": note, "expires_at": expires_at}, is_repeatable=True)


def find_suppressions(recipient: str) -> Call[dict[str, Any]]:
    """Return the active suppressions of one recipient. The recipient is in no URL and so in no log.

    >>> client.find_suppressions("bo@example.org")["suppressions"]
    []
    """
    return send("POST", f"{SUPPRESSIONS}/search", _named(recipient), is_repeatable=True)


def remove_suppression(suppression_id: str, *, reason: str | None = None) -> Call[Any]:
    """Lift a suppression. reason: why; the service requires it for complaints

    >>> client.remove_suppression("00000000-0000-0000-0000-000000000000")
    Traceback (most recent call last):
    signalbox.errors.InvalidRequest: Can't change suppressions using a test API key
    """
    call = send("DELETE", f"{SUPPRESSIONS}/{segment(suppression_id)}", is_repeatable=True)
    return replace(call, params={"reason": reason} if reason else {})


def _named(recipient: str) -> dict[str, str]:
    return {"email_address" if "@" in recipient else "phone_number": recipient}
