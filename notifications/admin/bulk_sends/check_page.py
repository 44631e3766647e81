"""The third and fourth step of a bulk send: what the check has found, and the form that sends.

Source: docs/reference/console.md §3.4.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from config import audit, formats
from config.console import shown_once
from config.console.shown_once import AlreadyShown
from config.jobs import state
from notifications import errors
from notifications.admin import permissions
from notifications.admin.bulk_sends import bad_rows, drafts, notices, preview, send_form
from notifications.admin.bulk_sends.checking import Draft, begin
from notifications.admin.bulk_sends.notices import NOUNS, Counts
from notifications.admin.bulk_sends.send_form import BulkSendForm
from notifications.bulk_tables.uploads import ReadAs
from notifications.models import BulkSend, BulkTable, Channel, Role
from notifications.submission.bulk import accept
from notifications.submission.bulk.requests import find_sender
from notifications.submission.requests import GivenId

CHANGED = "The template or the service has changed since this check. Check the table again before you send it."
SENT_BEFORE = "You sent this form twice. The bulk send was started once."


class CheckPage:
    """One request: GET shows the progress or the result of the check, POST checks again or sends."""

    def __init__(self, model_admin: Any, request: HttpRequest, table: BulkTable) -> None:
        self._admin: Any = model_admin
        self._request, self._table = request, table
        self._bulk_send: BulkSend = table.bulk_send
        self._channel = Channel(self._bulk_send.channel)
        self._may_send = permissions.may_in(request, self._bulk_send.service_id, [Role.SEND_MESSAGES])
        self._is_current = table.fingerprint == notices.fingerprint(self._bulk_send.template, self._bulk_send.service)

    def answer(self) -> HttpResponse:
        if self._request.method == "POST":
            return self._acted()
        if self._table.checking is None:
            return HttpResponseRedirect(self._admin.url_of("columns", self._bulk_send))
        return self._page()

    def _acted(self) -> HttpResponse:
        if not self._may_send:
            raise PermissionDenied
        if "check" in self._request.POST:
            url = self._admin.url_of("check", self._bulk_send)
            begin(self._request, self._table, way_back=url)
            return HttpResponseRedirect(url)
        if not self._table.fingerprint or not self._is_current or self._blocking():
            return self._page(status=409)
        counts = Counts.of(self._bulk_send.check_result)
        form = self._form(counts, self._request.POST)
        return self._sent(form, counts) if form.is_valid() and counts.good else self._page(form, status=422)

    def _sent(self, form: BulkSendForm, counts: Counts) -> HttpResponse:
        moment = form.cleaned_data["scheduled_for"]
        try:
            with transaction.atomic():
                shown_once.spend(self._request)
                self._choose_sender(form)
                accept.send_draft(
                    self._bulk_send,
                    Draft.of(self._table).person,
                    actor=audit.person(self._request),
                    scheduled_for=moment,
                    leaves_out="leave_out" in form.fields,
                )
                self._table.forget_file()
        except AlreadyShown:
            messages.info(self._request, SENT_BEFORE)
            return HttpResponseRedirect(self._admin.row_url(self._bulk_send))
        except errors.NotificationError as error:
            form.add_error(None, error.message)
            return self._page(form, status=422)
        number = formats.counted(counts.good, self._channel.noun)
        done = f"{number} will be sent {formats.on(moment)}." if moment else f"{number} will be sent now."
        messages.success(self._request, done)
        return HttpResponseRedirect(self._admin.row_url(self._bulk_send))

    def _choose_sender(self, form: BulkSendForm) -> None:
        """Set the sender of the draft. Raises SmsSenderNotFound, ReplyToNotFound."""
        chosen = form.cleaned_data["sender"]
        given = GivenId(UUID(chosen), chosen) if chosen else None
        sender = find_sender(self._bulk_send.service, self._channel, given)
        bulk_send = self._bulk_send
        bulk_send.sms_sender, bulk_send.reply_to = sender.sms_sender, sender.reply_to
        bulk_send.is_sender_chosen = sender.is_chosen
        bulk_send.save(update_fields=["sms_sender", "reply_to", "is_sender_chosen"])

    def _form(self, counts: Counts, data: Any = None) -> BulkSendForm:
        same = send_form.same_before(self._bulk_send)
        return BulkSendForm(data, bulk_send=self._bulk_send, counts=counts, same=same)

    def _blocking(self) -> list[dict[str, str]]:
        """Return the errors that leaving out rows does not remove."""
        return [error for error in self._bulk_send.check_result.get("errors", []) if error["kind"] in notices.HEADINGS]

    def _page(self, form: BulkSendForm | None = None, *, status: int = 200) -> HttpResponse:
        table, bulk_send = self._table, self._bulk_send
        page = {
            **self._admin.page_context(self._request, "Check rows", bulk_send),
            "bulk_send": bulk_send,
            "table": table,
            "is_checked": bool(table.fingerprint),
            "may_send": self._may_send,
            "upload_url": self._admin.upload_url(bulk_send),
            "columns_url": self._admin.url_of("columns", bulk_send),
            "check_url": self._admin.url_of("check", bulk_send),
        }
        if table.fingerprint:
            page |= self._result(form)
        else:
            page |= {
                "progress": drafts.progress(table.checking),
                "step": 3,
                "missing": [name for name in state.missing_processes() if name == "worker"],
            }
        return TemplateResponse(self._request, "admin/notifications/bulk_check.html", page, status=status)

    def _result(self, form: BulkSendForm | None) -> dict[str, Any]:
        table, bulk_send = self._table, self._bulk_send
        counts, blocking = Counts.of(bulk_send.check_result), self._blocking()
        sees = permissions.may_see_recipients(self._request, bulk_send.service_id)
        can_send = self._may_send and self._is_current and not blocking and counts.good
        noun = self._channel.noun
        return {
            "step": 4 if can_send else 3,
            "counts": counts,
            "language": drafts.language_of(drafts.text_of(table)),
            "notices": notices.of_table(bulk_send.check_result.get("errors", []), counts, self._channel),
            "repeated": formats.counted(counts.repeated, *NOUNS[self._channel]) if counts.repeated else "",
            "is_guessed_encoding": table.read_as == ReadAs.WINDOWS_1252,
            "changed": "" if self._is_current else CHANGED,
            "errors": bad_rows.page(table, after=self._after(), sees_recipients=sees),
            "is_first_page": not self._after(),
            "bad_rows_url": self._admin.url_of("bad-rows", bulk_send) if sees else "",
            "previews": preview.messages(Draft.of(table), sees_recipients=sees),
            "form": (form or self._form(counts)) if can_send else None,
            "same": send_form.same_before(bulk_send),
            "button": f"Send {formats.counted(counts.good, noun)}",
            "noun": noun,
            "nonce": self._request.POST.get(shown_once.FIELD) or shown_once.new_nonce(self._request),
            "nonce_field": shown_once.FIELD,
        }

    def _after(self) -> int:
        after = self._request.GET.get("after", "")
        return int(after) if after.isdecimal() and len(after) < 9 else 0
