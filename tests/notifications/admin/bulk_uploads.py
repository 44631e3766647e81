"""Do the steps of a bulk send with a client: upload a table, match its columns, check it and send it."""

import re
from html import unescape
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from notifications.models import BulkSend, Template

BULK = "/admin/notifications/bulksend/"
TABLE = "email address,name\nana@example.com,Ana\nbea@example.com,Bea\n"
BAD_TABLE = f"{TABLE}nobody,Cy\ndee@example.com,\n"  # rows 4 and 5 have an error each


def text_of(answer: HttpResponse) -> str:
    """Return the text of a page with single spaces."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())).replace("\xa0", " ").split())


def url_of(bulk_send: BulkSend, word: str) -> str:
    return f"{BULK}{bulk_send.pk}/{word}/"


def upload(browser: Client, template: Template, data: str | bytes = TABLE, **fields: Any) -> Any:
    """Upload a table and return the answer. fields: instead of the file"""
    url = f"{BULK}add/?template={template.pk}"
    content = data.encode() if isinstance(data, str) else data
    sent = fields or {"file": SimpleUploadedFile("people.csv", content)}
    return browser.post(url, {"nonce": browser.get(url).context["nonce"], **sent})


def check(browser: Client, template: Template, data: str | bytes = TABLE, **choice: str) -> tuple[BulkSend, Any]:
    """Upload and check a table with the guessed columns. Return the draft and the page of its check."""
    answer = upload(browser, template, data)
    bulk_send = BulkSend.objects.latest("created_at")
    form = browser.get(answer["Location"]).context["form"]
    guessed = {field.html_name: field.value() or "" for field in form}
    return bulk_send, browser.post(answer["Location"], {**guessed, **choice}, follow=True)


def send(browser: Client, bulk_send: BulkSend, page: Any, **fields: str) -> Any:
    """Send the form of the page of a check, and return the page that follows."""
    sent = {"nonce": page.context["nonce"], "when": "now", "sender": "", **fields}
    return browser.post(url_of(bulk_send, "check"), sent, follow=True)
