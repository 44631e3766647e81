"""The list of received emails, one email, and its forwarding. Source: docs/reference/inbox.md §4."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Case, Exists, OuterRef, Q, Value, When
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from config import audit
from config.console import cells
from config.console.admin.filters import by, choice_filter
from config.console.admin.row_actions import Button
from config.console.theme import Select
from config.queue import publishing
from notifications.admin import permissions
from notifications.admin.list_download import ListDownload
from notifications.admin.received_emails import page
from notifications.admin.received_rows import ReceivedRowAdmin
from notifications.admin.service_rows import posted
from notifications.models import EmailForward, ReceivedEmail, Role, Service, TeamMember
from notifications.submission.templates import redaction
from notifications.tasks import mail_notice

_FIRST_CHARACTERS = 80
_IS_FORWARDED = Exists(EmailForward.objects.filter(email=OuterRef("pk")))
_WRITER_FILTER = choice_filter(
    "written by",
    {"people": ("People", by(Q(is_automatic=False))), "programs": ("Programs", by(Q(is_automatic=True)))},
    parameter="writer",
)


class ForwardForm(forms.Form):
    """The team member who gets the email."""

    member: Any = forms.ModelChoiceField(
        TeamMember.objects.none(),
        label="Team member",
        empty_label="Choose a team member",
        widget=Select,
        help_text="They get the text of the email and the email address of its sender, to whom they can reply.",
    )

    def __init__(self, data: Any = None, *, service: Service) -> None:
        super().__init__(data)
        members: Any = self.fields["member"]
        members.queryset = service.team.exclude(email_address="").order_by("email_address")
        members.label_from_instance = lambda member: member.email_address


def _content(row: Any) -> dict[str, str]:
    """Return the cells of the file as on the page: decrypted, and without quoted redacted values."""
    stored = ReceivedEmail(id=row.id, notification_id=row.notification_id, encrypted_content=row.encrypted_content)
    content = page.content(stored)
    return {"Subject": content.subject, "Text": content.text, "Files": ", ".join(content.attachments)}


@admin.register(ReceivedEmail)
class ReceivedEmailAdmin(ReceivedRowAdmin):
    """Received emails are read-only. People who send messages and see recipients forward them."""

    page_template = "admin/notifications/received_email.html"
    list_filter = (_WRITER_FILTER,)
    list_download = ListDownload(
        noun="received email",
        audit_verb="downloaded_received_emails",
        columns={
            "Received at (UTC)": "created_at",
            "From": "sender",
            "To": "reply_to__email_address",
            **dict.fromkeys(("Subject", "Text", "Files"), "encrypted_content"),
            "Written by": Case(When(is_automatic=True, then=Value("program")), default=Value("person")),
            "Answers message": "notification_id",
            "Service": "service__name",
            "Id": "id",
        },
        recipient="sender",
        further=_content,
    )
    search_kind, search_column = "received-emails", "normalised_sender"
    search_label, search_title = "Email address", "sender"
    list_select_related = ("service", "reply_to")
    row_actions = {"forward": "forward"}
    empty = (
        "No received emails. Emails that people send to a reply-to address of this installation's domain appear here."
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(is_forwarded=_IS_FORWARDED)

    def list_context(self, request: HttpRequest, changelist: Any) -> dict[str, Any]:
        redaction.find_answered(changelist.result_list)
        return super().list_context(request, changelist)

    def may_do(self, request: HttpRequest, word: str, obj: Any) -> bool:
        """Return whether this person may forward the email, which reveals the email address of its sender."""
        may_send = permissions.may_in(request, obj.service_id, [Role.SEND_MESSAGES])
        return may_send and permissions.may_see_recipients(request, obj.service_id)

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        return [Button("Forward", "forward", tone="primary")]

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        return page.context(request, obj)

    def forward(self, request: HttpRequest, row: ReceivedEmail) -> HttpResponse:
        title = f"Forward the email of {self.title_of(request, row)}"
        if not row.service.team.exclude(email_address="").exists():
            return self.error_page(request, row, title, "Nobody in the team has an email address.")
        form = ForwardForm(posted(request), service=row.service)
        if request.method == "POST" and form.is_valid():
            member = form.cleaned_data["member"]
            author = audit.author(request)
            forwarded = EmailForward.objects.create(email=row, member=member, created_by=author, mail_at=Now())
            self.audit(request, "forwarded", row, after={"member": str(member.pk)})
            publishing.enqueue(mail_notice, "forward", str(forwarded.pk))
            return self.action_done(request, self.row_url(row), "The email is forwarded.")
        explanation = ["Signalbox sends the email on, without its files."]
        return self.action_page(request, row, title, "Forward email", explanation, form=form)

    # Columns

    @admin.display(description="From")
    def from_whom(self, row: ReceivedEmail) -> SafeString:
        to = f"to {row.reply_to.email_address}" if row.reply_to else ""
        return cells.two_lines(cells.breakable(permissions.shown_recipient(row, row.sender)), to)

    @admin.display(description="Email")
    def said(self, row: ReceivedEmail) -> SafeString:
        shown = page.content(row)
        first = Truncator(" ".join(shown.text[: _FIRST_CHARACTERS * 4].split())).chars(_FIRST_CHARACTERS)
        return cells.two_lines(shown.subject or "(no subject)", first)

    @admin.display(description="State")
    def state(self, row: Any) -> SafeString:  # Any: an email with its annotation
        chips = [cells.chip("Automatic")] if row.is_automatic else []
        chips += [cells.chip("Reply")] if row.notification_id else []
        chips += [cells.chip("Forwarded", "good")] if row.is_forwarded else []
        return SafeString(" ".join(chips) or "–")
