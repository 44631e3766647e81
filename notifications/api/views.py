"""The resources under /v2. Source: Notification Sending API §4; the sending contract §2.1, §4, §14, §17."""

from collections.abc import Callable
from dataclasses import asdict
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from config.reading import OneRow
from notifications import errors
from notifications.api import links, parsers, queries
from notifications.api.base import ApiViewSet
from notifications.api.identifiers import parse_uuid
from notifications.api.records import (
    NOTIFICATION_COLUMNS,
    NotificationSerializer,
    ReceivedTextSerializer,
    TemplateSerializer,
    UnsubscribeRequestSerializer,
)
from notifications.api.serializers import EmailSerializer, PreviewSerializer, RequestSerializer, SmsSerializer
from notifications.api.throttling import CountedViewSet
from notifications.models import LimitKind, Notification, Service, TemplateVersion, retention
from notifications.submission import idempotency, limits, submit, templates
from notifications.submission.preview import preview
from notifications.submission.submit import Submission

Submit = Callable[..., Submission]

_SHOWN = OneRow(Notification, NOTIFICATION_COLUMNS, [("id", "="), ("service", "="), ("created_at", ">=")])


class NotificationViewSet(CountedViewSet):
    """Messages: sending them, and reading what became of them."""

    counted_actions = frozenset({"sms", "email"})

    def sms(self, request: Request) -> Response:
        return self._send(request, SmsSerializer, submit.submit_sms, LimitKind.SMS)

    def email(self, request: Request) -> Response:
        return self._send(request, EmailSerializer, submit.submit_email, LimitKind.EMAIL)

    def retrieve(self, request: Request, notification_id: str) -> Response:
        identifier = _id("notification_id", notification_id)
        notification = _SHOWN.find(identifier, self.service.id, retention.kept_since(self.service))
        if notification is None:
            raise errors.NoResultFound
        return Response(NotificationSerializer(notification, context=self.context).data)

    def list(self, request: Request) -> Response:
        queries.check(request.query_params, queries.NOTIFICATION_FILTERS)
        page = queries.notifications(self.service, self.api_key.key_type, request.query_params)
        record = NotificationSerializer(context=self.context).to_representation
        return Response({"notifications": [record(row) for row in page.rows], "links": _links(request, page)})

    def _send(
        self, request: Request, serializer_class: type[RequestSerializer], submit_message: Submit, kind: LimitKind
    ) -> Response:
        """Steps 3 to 23: a repeat is answered before the day's limit is looked at, the limit before the body."""
        key = request.META.get("HTTP_IDEMPOTENCY_KEY")
        if key is None:
            limits.check(self.api_key, kind)
            return self._accept(request, parsers.read_json(request), serializer_class, submit_message)

        idempotency.check_key(key)
        value = parsers.read_json(request)
        with idempotency.claimed(self.api_key, key, idempotency.fingerprint(self.action, value)) as claim:
            if claim.answer is not None:
                return Response(claim.answer, status=201, headers={"Idempotent-Replay": "true"})
            limits.check(self.api_key, kind)
            return self._accept(request, value, serializer_class, submit_message, claim)

    def _accept(
        self,
        request: Request,
        value: object,
        serializer_class: type[RequestSerializer],
        submit_message: Submit,
        claim: idempotency.Claim | None = None,
    ) -> Response:
        """Steps 8 to 23. Where the request has claimed a key, its answer is stored with the message."""
        serializer = serializer_class(data=value, context=self.context)
        serializer.is_valid(raise_exception=True)
        answer = serializer.to_representation

        keep = None if claim is None else lambda submission: claim.keep(answer(submission))
        return Response(answer(submit_message(self.api_key, serializer.validated_data, keep=keep)), status=201)


class TemplateViewSet(ApiViewSet):
    """Templates, archived ones too where they are asked for by id."""

    def list(self, request: Request) -> Response:
        queries.check(request.query_params, queries.TEMPLATE_FILTERS)
        versions = templates.newest_versions(self.service.id).filter(template__archived_at=None)
        if types := request.query_params.getlist("type"):
            versions = versions.filter(template__type__in=types)
        # Sorted here: databases differ in how they order names.
        rows = sorted(versions, key=lambda version: (version.name, version.template.type))
        record = TemplateSerializer().to_representation
        return Response({"templates": [record(row) for row in rows]})

    def retrieve(self, request: Request, template_id: str) -> Response:
        return Response(TemplateSerializer(_newest(self.service, template_id)).data)

    def version(self, request: Request, template_id: str, number: str) -> Response:
        own = TemplateVersion.objects.filter(template=_id("id", template_id), template__service=self.service)
        is_number = number.isascii() and number.isdecimal() and len(number) < 10  # within the database's integer
        version = own.select_related("template").filter(number=int(number)).first() if is_number else None
        if version is None:
            raise errors.NoResultFound
        return Response(TemplateSerializer(version).data)

    def preview(self, request: Request, template_id: str) -> Response:
        version = _newest(self.service, template_id)
        serializer = PreviewSerializer(data=parsers.read_json_if_any(request), context=self.context)
        serializer.is_valid(raise_exception=True)
        values = serializer.validated_data.get("personalisation", {})
        filled = preview(self.service, version, values, unsubscribe_url=links.unsubscribe_preview_url(request))
        named = {"id": str(version.template_id), "type": version.template.type, "version": version.number}
        return Response({**named, **asdict(filled), "postage": None})


class ReceivedTextViewSet(ApiViewSet):
    """Texts people sent to the service: the same list for keys of every type."""

    def list(self, request: Request) -> Response:
        queries.check(request.query_params, queries.RECEIVED_TEXT_FILTERS)
        page = queries.received_texts(self.service, request.query_params)
        record = ReceivedTextSerializer().to_representation
        return Response({"received_text_messages": [record(row) for row in page.rows], "links": _links(request, page)})


class UnsubscribeRequestViewSet(ApiViewSet):
    """Requests of recipients for no more emails: the same list for keys of every type."""

    def list(self, request: Request) -> Response:
        queries.check(request.query_params, queries.UNSUBSCRIBE_REQUEST_FILTERS)
        page = queries.unsubscribe_requests(self.service, request.query_params)
        record = UnsubscribeRequestSerializer().to_representation
        return Response({"unsubscribe_requests": [record(row) for row in page.rows], "links": _links(request, page)})


def _id(name: str, text: str) -> UUID:
    """Raises ValidationError: an id in a path is told like one in a body."""
    parsed = parse_uuid(text)
    if parsed is None:
        raise errors.ValidationError(f"{name} is not a valid UUID")
    return parsed


def _links(request: Request, page: queries.Page) -> dict[str, str]:
    """`next` is there with a filled page only, with `older_than` as its first UUID: clients take the first they see."""
    address = f"{links.base_url(request)}{request.path.rstrip('/')}"
    found = {"current": f"{address}?{page.current}" if page.current else address}
    return {**found, "next": f"{address}?{page.next}"} if page.next else found


def _newest(service: Service, template_id: str) -> TemplateVersion:
    version = templates.newest_versions(service.id).filter(template=_id("id", template_id)).first()
    if version is None:
        raise errors.NoResultFound
    return version
