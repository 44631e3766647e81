"""The shape of requests, and of the answers to them. Source: Notification Sending API §2; the sending contract §5, §14.

REST framework's own fields would say each fault in their words and stop the rest at the first: the contract wants all
at once, in its order and its words. So the serializers read by the tables of properties below.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework.serializers import BaseSerializer

from notifications import errors
from notifications.api import fields, links
from notifications.api.records import moment, template_reference
from notifications.submission.requests import EmailRequest, SmsRequest
from notifications.submission.submit import Submission


class RequestSerializer(BaseSerializer[Any]):  # Any: what goes in and out differs
    """Reads a JSON value by a table: property → reader. Needs `service` in the context."""

    properties: ClassVar[Mapping[str, fields.Reader]]
    required_properties: ClassVar[tuple[str, ...]] = ()
    allows_unknown: ClassVar[bool] = False

    def run_validation(self, data: object = None) -> Any:  # Any: as the base class has it
        """Raises SchemaRefused: faults of properties in the table's order, then missing ones, then unknown ones."""
        if data and not isinstance(data, dict):
            raise errors.SchemaRefused([errors.ValidationError(f"{errors.shown(data)} is not of type object")])
        given: dict[str, object] = data if isinstance(data, dict) else {}  # null, [], "", 0 and false count as {}
        values: dict[str, Any] = {}
        faults: list[errors.NotificationError] = []
        for name, read in self.properties.items():
            if name in given:
                try:
                    values[name] = read(name, given[name], self.context["service"])
                except errors.ValidationError as fault:
                    faults.append(fault)
        faults += [
            errors.ValidationError(f"{name} is a required property")
            for name in self.required_properties
            if name not in given
        ]
        if not self.allows_unknown:
            faults += fields.unexpected(given.keys() - self.properties.keys())
        if faults:
            raise errors.SchemaRefused(faults)
        return self.to_internal_value(values)

    def to_internal_value(self, values: dict[str, Any]) -> Any:
        return values


class SmsSerializer(RequestSerializer):
    """A text message: the request, and the answer to it."""

    properties = {
        "reference": fields.reference,
        "phone_number": fields.phone_number,
        "template_id": fields.identifier,
        "personalisation": fields.personalisation,
        "scheduled_for": fields.scheduled_for,
        "sms_sender_id": fields.identifier,
    }
    required_properties = ("phone_number", "template_id")

    def to_internal_value(self, values: dict[str, Any]) -> SmsRequest:
        return SmsRequest(**{**values, "template_id": values["template_id"].value})

    def to_representation(self, submission: Submission) -> dict[str, object]:
        content = {"body": submission.body, "from_number": submission.sent_from}
        return _created(submission, content, self.context["base"])


class EmailSerializer(RequestSerializer):
    """An email: the request, and the answer to it."""

    properties = {
        "reference": fields.reference,
        "email_address": fields.email_address,
        "template_id": fields.identifier,
        "personalisation": fields.personalisation,
        "scheduled_for": fields.scheduled_for,
        "email_reply_to_id": fields.identifier,
        "one_click_unsubscribe_url": fields.https_url,
        "sanitise_content_for": fields.names,
    }
    required_properties = ("email_address", "template_id")

    def to_internal_value(self, values: dict[str, Any]) -> EmailRequest:
        return EmailRequest(**{**values, "template_id": values["template_id"].value})

    def to_representation(self, submission: Submission) -> dict[str, object]:
        notification = submission.notification
        content = {
            "subject": submission.subject,
            "body": submission.body.strip(),
            "from_email": submission.sent_from,
            "one_click_unsubscribe_url": notification.one_click_unsubscribe_url,
        }
        return {**_created(submission, content, self.context["base"]), "sanitised_content": submission.sanitised}


class PreviewSerializer(RequestSerializer):
    properties = {"personalisation": fields.personalisation}
    allows_unknown = True


def _created(submission: Submission, content: Mapping[str, object], base: str) -> dict[str, object]:
    notification = submission.notification
    return {
        "id": str(notification.id),
        "reference": notification.reference,
        "content": content,
        "uri": links.notification_url(base, notification.id),
        "template": template_reference(notification, base),
        "scheduled_for": moment(notification.scheduled_for),
    }
