"""Read the services part of a provision document. What a value may be, `notifications.validation` says."""

from collections.abc import Callable
from functools import partial

from django.conf import settings

from config.management.document import Entry
from config.management.parts import Faults
from notifications.management.declarations import (
    Recipient,
    SenderDeclaration,
    ServiceDeclaration,
    TeamMemberDeclaration,
    TemplateDeclaration,
)
from notifications.management.reading_keys import read_api_key, read_callbacks
from notifications.management.stored import Stored
from notifications.models import Channel, LimitKind, Permission, RecipientKind
from notifications.models.keeping_times import check_unsubscribe_request_days
from notifications.validation import InvalidValue, people, senders, services, templates
from notifications.validation.keys import check_part_of_key
from notifications.validation.services import MOST, RETENTION_DAYS

_PHONE_CHARACTERS = 40  # what the column holds


def read_services(value: object, faults: Faults) -> list[ServiceDeclaration]:
    """Read the list under `services`; what is wrong with it goes into `faults`."""
    return [_service(entry) for entry in Entry.all(value, "services", faults)]


def _service(entry: Entry) -> ServiceDeclaration:
    guests = entry.entry("guest_list")
    callbacks = entry.entry("callbacks")
    identifier, name = entry.identifier("id"), entry.text("name")
    stored = Stored(identifier, name)
    if identifier is not None:
        entry.check("id", check_part_of_key, identifier, unless=lambda: stored.service is not None)
    declaration = ServiceDeclaration(
        entry=entry,
        id=identifier,
        name=_parsed(entry, "name", name, services.parse_service_name, stored.name),
        fields=_fields(entry, stored),
        team=_team(entry),
        guests=_guests(guests) if guests else None,
        sms_senders=_senders(entry, "sms_senders", "sender", senders.parse_sms_sender, stored.sender),
        reply_to_addresses=_senders(
            entry, "reply_to_addresses", "email_address", senders.parse_reply_to, stored.email_address
        ),
        templates=[_template(one, stored) for one in entry.entries("templates") or []],
        api_keys=[read_api_key(one, stored) for one in entry.entries("api_keys") or []],
        callbacks=read_callbacks(callbacks),
    )
    for group in (guests, callbacks, entry):
        if group:
            group.close()
    return declaration


def _parsed(
    entry: Entry, key: str, text: str | None, parse: Callable[[str], str], is_stored: Callable[[str], bool]
) -> str | None:
    """Return a text as it is stored; None where it is left out or refused."""
    if text is None:
        return None
    try:
        parsed = parse(text)
    except InvalidValue as error:
        if is_stored(text):
            return text
        entry.refuse(key, str(error))
        return None
    return parsed if parsed == text or not is_stored(text) else text


def _fields(entry: Entry, stored: Stored) -> dict[str, object]:
    limits = entry.entry("daily_limits")
    contact = entry.text("file_contact", least=1, most=255)
    values: dict[str, object] = {
        "live": entry.flag("live"),
        "active": entry.flag("active"),
        "permissions": _permissions(entry),
        "prefix_sms": entry.flag("prefix_sms"),
        "file_contact": _parsed(entry, "file_contact", contact, services.parse_file_contact, stored.file_contact),
        "rate_limit_per_minute": entry.number("rate_limit_per_minute", least=1, most=MOST),
        "retention_days": entry.number("retention_days", least=RETENTION_DAYS[0], most=RETENTION_DAYS[-1]),
        "unsubscribe_request_days": _unsubscribe_request_days(entry),
    }
    if limits:
        values |= {f"daily_limit_{kind}": limits.number(kind, least=0, most=MOST) for kind in LimitKind.values}
        limits.close()
    return {column: value for column, value in values.items() if value is not None}


def _unsubscribe_request_days(entry: Entry) -> int | None:
    days = entry.number("unsubscribe_request_days", least=-MOST, most=MOST)
    if days is not None:
        entry.check("unsubscribe_request_days", check_unsubscribe_request_days, days)
    return days


def _permissions(entry: Entry) -> list[str] | None:
    given = entry.texts("permissions")
    for index, permission in enumerate(given or []):
        if permission not in Permission.values:
            entry.refuse(f"permissions[{index}]", f"must be one of {', '.join(Permission.values)}")
    return None if given is None else [permission for permission in Permission.values if permission in given]


def _team(entry: Entry) -> list[TeamMemberDeclaration] | None:
    members = entry.entries("team")
    if members is None:
        return None
    team: list[TeamMemberDeclaration] = []
    for member in members:
        address, number = member.text("email_address"), member.text("phone_number", most=_PHONE_CHARACTERS)
        member.require("email_address")
        member.close()
        read_address = _recipient(member, "email_address", address, RecipientKind.EMAIL)
        read_number = _recipient(member, "phone_number", number, RecipientKind.PHONE)
        if read_address and read_address.normalised in {one.email_address.normalised for one in team}:
            member.refuse("email_address", "is given twice")
        elif read_address:
            team.append(TeamMemberDeclaration(email_address=read_address, phone_number=read_number))
    return team


def _guests(entry: Entry) -> list[Recipient]:
    guests: list[Recipient] = []
    for key, kind in (("email_addresses", RecipientKind.EMAIL), ("phone_numbers", RecipientKind.PHONE)):
        before = len(guests)
        for index, text in enumerate(entry.texts(key) or []):
            guest = _recipient(entry, f"{key}[{index}]", text, kind)
            if guest and guest.normalised in {one.normalised for one in guests}:
                entry.refuse(f"{key}[{index}]", "is given twice")
            elif guest:
                guests.append(guest)
        entry.check(key, people.check_guest_list_has_room, len(guests) - before, settings.GUEST_LIST_MAX)
    return guests


def _recipient(entry: Entry, key: str, text: str | None, kind: RecipientKind) -> Recipient | None:
    if text is None:
        return None
    parse = people.parse_email_address if kind == RecipientKind.EMAIL else people.parse_phone_number
    try:
        parsed = parse(text)
    except InvalidValue as error:
        entry.refuse(key, str(error))
        return None
    return Recipient(kind=kind, given=parsed.given, normalised=parsed.normalised)


def _senders(
    entry: Entry, key: str, text_key: str, parse: Callable[[str], str], is_stored: Callable[[str], bool]
) -> list[SenderDeclaration]:
    """Read senders or reply-to addresses. A protected name is allowed: only operators can run the command."""
    found: list[SenderDeclaration] = []
    for one in entry.entries(key) or []:
        given, identifier, is_default = one.text(text_key), one.identifier("id"), one.flag("default")
        one.require(text_key)
        one.close()
        text = _parsed(one, text_key, given, parse, is_stored)
        if is_default and any(sender.is_default for sender in found):
            one.refuse("default", "is true for another one already")
        if text is not None:
            found.append(SenderDeclaration(entry=one, id=identifier, text=text, is_default=is_default))
    return found


def _template(entry: Entry, stored: Stored) -> TemplateDeclaration:
    channel, name = entry.choice("type", Channel.values), entry.text("name")
    declaration = TemplateDeclaration(
        entry=entry,
        id=entry.identifier("id"),
        type=Channel(channel) if channel else None,
        name=_parsed(entry, "name", name, templates.parse_template_name, lambda text: stored.template(name=text)),
        subject=entry.text("subject"),
        content=entry.text("content"),
        unsubscribe_link=entry.flag("unsubscribe_link"),
        archived=entry.flag("archived"),
    )
    entry.close()
    if declaration.id is None:
        entry.require("type", "name")
    _check_words(declaration, stored)
    return declaration


def _check_words(declared: TemplateDeclaration, stored: Stored) -> None:
    """Note what blocks the subject and the content, unless the template has them already."""
    channel = declared.type or stored.channel_of(declared.id)
    subject, content = declared.subject, declared.content
    if channel == Channel.EMAIL and subject is not None:
        declared.entry.check(
            "subject", templates.check_subject, subject, unless=lambda: stored.template(subject=subject)
        )
    if channel is not None and content is not None:
        rule = partial(templates.check_content, is_text_message=channel == Channel.SMS)
        declared.entry.check("content", rule, content, unless=lambda: stored.template(content=content))
