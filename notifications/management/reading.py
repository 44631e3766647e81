"""Read the services part of a provision document, by the rules the console's forms have too.

Source: the sending contract §22; Staff console §2.2 to §2.8.
"""

import base64
import binascii
import re

from django.conf import settings

from config.management.document import Entry
from config.management.parts import Faults
from config.outbound import UnsafeUrl, check_url
from notifications.management.declarations import (
    ApiKeyDeclaration,
    CallbackDeclaration,
    Recipient,
    SenderDeclaration,
    ServiceDeclaration,
    TeamMemberDeclaration,
    TemplateDeclaration,
)
from notifications.models import CallbackKind, Channel, KeyType, LimitKind, Permission, RecipientKind
from notifications.recipients import email, phone

MOST = 2_147_483_647  # what the columns hold

_IN_A_HEADER = re.compile(r"[!-~]+")
_KEY_NAME = re.compile(r"\A[A-Za-z0-9_-]{1,60}\Z")
_SMS_SENDER = re.compile(r"\A(?!00)(?=.*[A-Za-z0-9])[A-Za-z0-9 &._-]{3,11}\Z")
_HTTPS_LINK = re.compile(r"\Ahttps://[^\s/?#@]+\.[^\s/?#@]+(?:[/?#]\S*)?\Z")


def read_services(value: object, faults: Faults) -> list[ServiceDeclaration]:
    """Read the list under `services`; what is wrong with it goes into `faults`."""
    return [_service(entry) for entry in Entry.all(value, "services", faults)]


def _service(entry: Entry) -> ServiceDeclaration:
    guests = entry.entry("guest_list")
    callbacks = entry.entry("callbacks")
    declaration = ServiceDeclaration(
        entry=entry,
        id=entry.identifier("id"),
        name=_name(entry, most=255),
        fields=_fields(entry),
        team=_team(entry),
        guests=_guests(entry, guests) if guests else None,
        sms_senders=_senders(entry, "sms_senders", "sender"),
        reply_to_addresses=_senders(entry, "reply_to_addresses", "email_address"),
        templates=[_template(one) for one in entry.entries("templates") or []],
        api_keys=[_api_key(one) for one in entry.entries("api_keys") or []],
        callbacks=[found for kind in CallbackKind if callbacks and (found := _callback(callbacks, kind))],
    )
    for group in (guests, callbacks, entry):
        if group:
            group.close()
    return declaration


def _fields(entry: Entry) -> dict[str, object]:
    limits = entry.entry("daily_limits")
    values: dict[str, object] = {
        "live": entry.flag("live"),
        "active": entry.flag("active"),
        "permissions": _permissions(entry),
        "prefix_sms": entry.flag("prefix_sms"),
        "file_contact": _file_contact(entry),
        "rate_limit_per_minute": entry.number("rate_limit_per_minute", least=1, most=MOST),
        "retention_days": entry.number("retention_days", least=3, most=90),
    }
    if limits:
        values |= {f"daily_limit_{kind}": limits.number(kind, least=0, most=MOST) for kind in LimitKind.values}
        limits.close()
    return {column: value for column, value in values.items() if value is not None}


def _name(entry: Entry, *, most: int) -> str | None:
    name = entry.text("name", least=1, most=most)
    if name is not None and not name.strip():
        entry.refuse("name", "must not be blank")
    return name


def _permissions(entry: Entry) -> list[str] | None:
    given = entry.texts("permissions")
    for index, permission in enumerate(given or []):
        if permission not in Permission.values:
            entry.refuse(f"permissions[{index}]", f"must be one of {', '.join(Permission.values)}")
    return None if given is None else [permission for permission in Permission.values if permission in given]


def _file_contact(entry: Entry) -> str | None:
    contact = entry.text("file_contact", least=1, most=255)
    if contact is None or _HTTPS_LINK.match(contact) or _email(contact):
        return contact
    try:
        phone.parse_service_contact(contact)
    except phone.InvalidPhoneNumber:
        entry.refuse("file_contact", "must be an https link, an email address or a phone number")
    return contact


def _team(entry: Entry) -> list[TeamMemberDeclaration] | None:
    members = entry.entries("team")
    if members is None:
        return None
    team: list[TeamMemberDeclaration] = []
    for member in members:
        address, number = member.text("email_address"), member.text("phone_number", most=40)
        member.require("email_address")
        member.close()
        read_address, read_number = _email(address or ""), _phone(number or "")
        if address is not None and not read_address:
            member.refuse("email_address", "is not a valid email address")
        if number is not None and not read_number:
            member.refuse("phone_number", "is not a valid phone number")
        if read_address and read_address.normalised in {one.email_address.normalised for one in team}:
            member.refuse("email_address", "is given twice")
        elif read_address:
            team.append(TeamMemberDeclaration(email_address=read_address, phone_number=read_number))
    return team


def _guests(service: Entry, entry: Entry) -> list[Recipient]:
    guests: list[Recipient] = []
    for key, parse, what in (("email_addresses", _email, "email address"), ("phone_numbers", _phone, "phone number")):
        for index, text in enumerate(entry.texts(key) or []):
            guest = parse(text)
            if guest is None:
                entry.refuse(f"{key}[{index}]", f"is not a valid {what}")
            elif guest.normalised in {one.normalised for one in guests}:
                entry.refuse(f"{key}[{index}]", "is given twice")
            else:
                guests.append(guest)
    if settings.GUEST_LIST_MAX and len(guests) > settings.GUEST_LIST_MAX:
        service.refuse("guest_list", f"holds more than {settings.GUEST_LIST_MAX} recipients")
    return guests


def _senders(entry: Entry, key: str, text_key: str) -> list[SenderDeclaration]:
    senders: list[SenderDeclaration] = []
    for one in entry.entries(key) or []:
        text, identifier, is_default = one.text(text_key), one.identifier("id"), one.flag("default")
        one.require(text_key)
        one.close()
        if text is not None and text_key == "sender" and not _is_sms_sender(text):
            one.refuse(text_key, "must be 3 to 11 letters, digits, spaces or & . - _, or a phone number")
        if text is not None and text_key == "email_address" and not _email(text):
            one.refuse(text_key, "is not a valid email address")
        if is_default and any(sender.is_default for sender in senders):
            one.refuse("default", "is true for another one already")
        if text is not None:
            senders.append(SenderDeclaration(entry=one, id=identifier, text=text, is_default=is_default))
    return senders


def _template(entry: Entry) -> TemplateDeclaration:
    channel = entry.choice("type", Channel.values)
    declaration = TemplateDeclaration(
        entry=entry,
        id=entry.identifier("id"),
        type=Channel(channel) if channel else None,
        name=_name(entry, most=255),
        subject=entry.text("subject"),
        content=entry.text("content"),
        unsubscribe_link=entry.flag("unsubscribe_link"),
        archived=entry.flag("archived"),
    )
    entry.close()
    if declaration.id is None:
        entry.require("type", "name")
    return declaration


def _api_key(entry: Entry) -> ApiKeyDeclaration:
    name, secret = entry.text("name"), entry.identifier("secret")
    if name is not None and not _KEY_NAME.match(name):
        entry.refuse("name", "must be 1 to 60 letters, digits, _ or -")
    key_type, revoked = entry.choice("type", KeyType.values), entry.flag("revoked")
    entry.close()
    if secret is None:
        entry.require("name")
    return ApiKeyDeclaration(
        entry=entry,
        name=name,
        key_type=KeyType(key_type) if key_type else None,
        secret=str(secret) if secret else None,
        revoked=revoked,
    )


def _callback(callbacks: Entry, kind: CallbackKind) -> CallbackDeclaration | None:
    entry = callbacks.entry(kind.value)
    if entry is None:
        return None
    url, token = entry.text("url"), entry.text("bearer_token", least=10, most=2000)
    signing_secret = entry.text("signing_secret")
    if token is not None and not _IN_A_HEADER.fullmatch(token):
        entry.refuse("bearer_token", "must be of ASCII letters, digits and signs, without blanks")
    entry.require("url", "bearer_token")
    entry.close()
    try:
        check_url(url or "")
    except UnsafeUrl as error:
        if url is not None:
            entry.refuse("url", str(error))
    if signing_secret is not None and not _is_signing_secret(signing_secret):
        entry.refuse("signing_secret", "must be whsec_ and 24 to 64 bytes in base64")
    if url is None or token is None:
        return None
    return CallbackDeclaration(kind=kind, url=url, bearer_token=token, signing_secret=signing_secret)


def _is_signing_secret(text: str) -> bool:
    """Source: Standard Webhooks 1.0, "Signature scheme"."""
    try:
        return text.startswith("whsec_") and 24 <= len(base64.b64decode(text[6:], validate=True)) <= 64
    except binascii.Error:
        return False


def _is_sms_sender(text: str) -> bool:
    return bool(_SMS_SENDER.match(text)) or (len(text) <= 20 and _phone(text) is not None)


def _email(text: str) -> Recipient | None:
    try:
        return Recipient(kind=RecipientKind.EMAIL, given=text, normalised=email.parse(text).normalised)
    except email.InvalidEmailAddress:
        return None


def _phone(text: str) -> Recipient | None:
    try:
        number = phone.parse(text, international=True, landlines=True)
    except phone.InvalidPhoneNumber:
        return None
    return Recipient(kind=RecipientKind.PHONE, given=text, normalised=number.normalised)
