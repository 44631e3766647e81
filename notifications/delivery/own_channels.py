"""Emails and texts to people of Signalbox, through the providers of PROVIDERS. See `config.own_messages`.

They belong to no service: Signalbox does not count or store them.
"""

from django.conf import settings

from config.invalid import InvalidValue
from config.own_messages import Handover, OwnChannel, OwnMessage
from notifications.delivery import own_email
from notifications.delivery.messages import OutgoingSms
from notifications.delivery.own_email import Handed
from notifications.recipients import email, phone
from notifications.recipients.outcomes import InvalidPhoneNumber

_RESULTS = {Handed.TAKEN: Handover.TAKEN, Handed.REFUSED: Handover.REFUSED, Handed.NOT_YET: Handover.NOT_YET}


def _parse_email(text: str) -> str:
    try:
        return email.parse(text).as_given
    except email.InvalidEmailAddress as error:
        raise InvalidValue(f"{text} is not a valid email address.") from error


def _parse_phone(text: str) -> str:
    try:
        return phone.parse(text, international=True, landlines=False).normalised
    except InvalidPhoneNumber as error:
        raise InvalidValue(f"{text} is not a phone number that gets text messages.") from error


def _send_email(message: OwnMessage) -> Handover:
    text = own_email.compose(message.subject, message.text.split("\n\n"))
    parsed = email.parse(message.to)
    outgoing = own_email.write(text, to=parsed.ascii, identifier=message.identifier)
    return _RESULTS[own_email.hand_over(outgoing, about="own message")]


def _send_text(message: OwnMessage) -> Handover:
    outgoing = OutgoingSms(
        to=message.to,
        content=message.text,
        sender=settings.DEFAULT_SMS_SENDER,
        reference=str(message.identifier),
        international=not message.to.startswith("44"),
    )
    return _RESULTS[own_email.hand_over(outgoing, about="own message")]


EMAIL = OwnChannel(name="email", parse=_parse_email, send=_send_email)
SMS = OwnChannel(name="sms", parse=_parse_phone, send=_send_text)
