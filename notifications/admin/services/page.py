"""The sections of a service's page. Source: docs/reference/console.md §2.2."""

from collections.abc import Callable

from django.conf import settings
from django.urls import reverse

from config import formats
from config.console import cells
from config.console.admin.row_actions import Button
from config.console.sections import Fact, Section
from notifications.admin.services.going_live import LinkTo
from notifications.jobs import limits
from notifications.models import (
    Channel,
    GoLiveRequest,
    LimitChange,
    Permission,
    ReplyToAddress,
    Service,
    ServiceLimit,
    SmsSender,
    TeamMember,
)
from notifications.submission import senders
from notifications.validation import quiet_hours

ON, OFF = "On", "Off"
_KEPT = "After that, recipients and contents are deleted. The counts stay."


def sections(service: Service, change: Callable[[str, str], tuple[Button, ...]], link_to: LinkTo) -> list[Section]:
    """Return the sections of a service's page.

    change: returns the button of a step if the person may take it
    link_to: returns the link to a list of this service's rows if the person may open it
    """

    def section(slug: str, title: str, *facts: Fact) -> Section:
        return Section(slug=slug, title=title, buttons=change(slug, "Change"), facts=facts)

    state = change("back-to-trial", "Return to trial…") if service.live else change("go-live", "Go live…")
    if not service.live and not state:  # of people who may not switch it themselves
        state = change("ask-to-go-live", "Ask to go live…")
    return [
        section(
            "general",
            "General",
            Fact("Name", service.name),
            Fact("Messages are kept for", f"{service.retention_days} days", _KEPT),
            Fact(
                "Unsubscribe requests are kept for",
                f"{service.unsubscribe_request_days} days",
                "Counted from the day they are marked as done. Other requests are kept.",
            ),
            _team(service, link_to),
            Fact(
                "Created",
                cells.moment(service.created_at),
                f"by {cells.author(service.created_by)}" if service.created_by else "",
            ),
        ),
        section("email", "Email", *_email(service, link_to)),
        section("file-page", "File download page", _contact(service)),
        _public_pages(service, change),
        section("texts", "Text messages", *_texts(service, link_to)),
        section("quiet-hours", "Quiet hours", *_quiet_hours(service)),
        section("api", "API", *_api(service)),
        section("limits", "Limits", *_limits(service)),
        Section(
            slug="state",
            title="State",
            buttons=(*state, *change("archive", "Archive…")),
            facts=(_state(service, link_to),),
        ),
    ]


def _team(service: Service, link_to: LinkTo) -> Fact:
    return Fact(
        "Team", formats.counted(service.team.count(), "person", "people"), link=link_to("View team", TeamMember)
    )


def _email(service: Service, link_to: LinkTo) -> tuple[Fact, ...]:
    addresses = service.reply_to_addresses.filter(archived_at=None)
    default = next((row.email_address for row in addresses if row.is_default), "none")
    return (
        Fact("Emails", _on(service, Permission.EMAIL)),
        Fact("From line that recipients see", f"{service.name} <{senders.from_email(service)}>"),
        Fact(
            "Reply-to addresses",
            f"{len(addresses)}, default {default}" if addresses else "None",
            "" if addresses else "A service that sends email needs one before it goes live.",
            link=link_to("View reply-to addresses", ReplyToAddress),
        ),
    )


def _contact(service: Service) -> Fact:
    if service.file_contact:
        return Fact("Contact", service.file_contact, "Shown to people who download a file.")
    refused = "Emails with files are refused until you set a contact."
    return Fact("Contact", "Not set", refused, is_warning=True)


def _public_pages(service: Service, change: Callable[[str, str], tuple[Button, ...]]) -> Section:
    buttons = (*change("public-pages", "Change"), *change("previews", "Preview pages"))
    remark = "Of the pages on which recipients download files and unsubscribe."
    facts = (Fact("Language", service.get_page_language_display(), remark),)
    return Section(slug="public-pages", title="Public pages", buttons=buttons, facts=facts)


def _texts(service: Service, link_to: LinkTo) -> tuple[Fact, ...]:
    names = service.sms_senders.filter(archived_at=None).order_by("-is_default", "created_at")
    return (
        Fact("Text messages", _on(service, Permission.SMS)),
        Fact("Start with the service name", ON if service.prefix_sms else OFF),
        Fact(
            "Senders",
            ", ".join(f"{row} (default)" if row.is_default else str(row) for row in names) or "None",
            link=link_to("View text message senders", SmsSender),
        ),
        Fact("International numbers", _on(service, Permission.INTERNATIONAL_SMS)),
        Fact("UK landlines", _on(service, Permission.SMS_TO_UK_LANDLINES)),
        Fact("People who text STOP", "Suppressed" if service.stop_texts_suppress else "Not suppressed"),
    )


def _quiet_hours(service: Service) -> tuple[Fact, ...]:
    remark = (
        "Bulk messages wait until quiet hours end. Single messages wait too if their template respects quiet hours."
    )
    return (
        Fact("Text messages", _hours(service, Channel.SMS)),
        Fact("Emails", _hours(service, Channel.EMAIL), remark),
        Fact("Time zone", service.zone_name),
    )


def _hours(service: Service, channel: Channel) -> str:
    hours = quiet_hours.of_channel(service.quiet_hours, channel.value)
    if hours is None:
        return "None"
    whose = "the recipient" if hours.by_recipient else "the service"
    return f"{formats.of_clock(hours.begin)} to {formats.of_clock(hours.end)}, in the time zone of {whose}"


def _api(service: Service) -> tuple[Fact, ...]:
    minutes, whole = service.repeat_guard_minutes, service.accepts_whole_keys
    guarded = "A message with the same template, recipient and reference is not sent again within this time."
    risk = "Everyone who reads a request can use its key." if whole else ""
    return (
        Fact("Service ID", str(service.pk), copy_id="service-id"),
        Fact("API base URL", settings.BASE_URL, copy_id="api-base"),
        Fact("Repeat guard", formats.counted(minutes, "minute") if minutes else OFF, guarded if minutes else ""),
        Fact(
            "Sends to suppressed recipients",
            "Rejected with 400" if service.suppressed_sends_are_rejected else "Accepted, but not sent",
        ),
        Fact("Whole API keys", ON if whole else OFF, risk, is_warning=whole),
    )


def _limits(service: Service) -> tuple[Fact, ...]:
    """Return the limits. International texts count as text messages too, so the lower of both limits applies."""
    temporary = limits.temporary(service)
    *others, last = ServiceLimit
    texts, abroad = service.daily_limit_sms, service.daily_limit_international_sms
    remark = f"Set to {formats.number(abroad)}, but the limit for text messages is lower." if abroad > texts else ""
    return (
        *(
            Fact(limit.label, formats.number(getattr(service, limit.value)), _end_of(temporary.get(limit)))
            for limit in others
        ),
        Fact(
            last.label,
            formats.number(min(abroad, texts)),
            remark or _end_of(temporary.get(last)),
            link=("View use of the limits", reverse("admin:service_limits", args=[service.pk])),
        ),
    )


def _end_of(change: LimitChange | None) -> str:
    if change is None or change.until is None:
        return ""
    return f"Until {formats.spoken(change.until)}, then {formats.number(change.returns_to or 0)} again."


def _state(service: Service, link_to: LinkTo) -> Fact:
    if service.archived_at is not None:
        since = f"Since {formats.spoken(service.archived_at)}. Every call is refused, and nothing can be changed."
        return Fact("State", cells.chip("Archived"), since)
    if service.live:
        return Fact("State", cells.chip("Live", "good"), "Live keys can send to anyone.")
    reach = "Messages reach only the team and the guest list."
    asked = service.go_live_requests.first()
    if asked is None:
        return Fact("State", cells.chip("Trial", "warn"), reach)
    remark = f"{reach} Request to go live, {formats.spoken(asked.created_at)}: {asked.get_state_display().lower()}."
    link = link_to("View requests", GoLiveRequest)
    return Fact("State", cells.chip("Trial", "warn"), remark, link=link)


def _on(service: Service, permission: Permission) -> str:
    return ON if permission in service.permissions else OFF
