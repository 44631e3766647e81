"""The resources under /v2. Source: docs/reference/sending-api.md §2.1, §4, §14, §17."""

from collections.abc import Callable

from rest_framework.request import Request

from config.databases.prepared import Columns, Statement
from config.rest import idempotency
from config.rest.content import JSONResponse
from config.rest.idempotency import IdempotencyKey
from config.rest.request import base_url
from notifications import errors
from notifications.api import lists, queries, serializers
from notifications.api.base import ApiViewSet, one, read_json, read_json_if_any
from notifications.api.dry_runs import DryRunSerializer
from notifications.api.fields import path_id
from notifications.api.records import (
    NOTIFICATION_COLUMNS,
    OneNotificationSerializer,
    PreviewSerializer,
    TemplateSerializer,
)
from notifications.models import ApiKey, Fallback, LimitKind, Notification, TemplateVersion, VersionState
from notifications.submission import limits, templates
from notifications.submission.sending import dry_run, scheduled, submit
from notifications.submission.sending.checks import Submission
from notifications.submission.sending.dry_run import DryRun
from notifications.submission.sending.idempotency import IdempotencyClaim, claimed
from notifications.submission.templates.preview import preview

Submit = Callable[..., Submission]

_SHOWN = Columns((Notification, NOTIFICATION_COLUMNS))
_MESSAGE, _FALLBACK = Notification._meta.db_table, Fallback._meta.db_table
# After the columns of the message: the state and the email of its fallback, and the text that it replaces.
_FIND_SHOWN = Statement(
    f"SELECT {{columns}}, (SELECT state FROM {_FALLBACK} WHERE message_id = {_MESSAGE}.id),"  # noqa: S608  constants
    f" (SELECT email_id FROM {_FALLBACK} WHERE message_id = {_MESSAGE}.id),"
    f" (SELECT message_id FROM {_FALLBACK} WHERE email_id = {_MESSAGE}.id)"
    f" FROM {_MESSAGE} WHERE id = %s AND service_id = %s AND created_at >= %s",
    [Notification._meta.get_field(name) for name in ("id", "service", "created_at")],
    reads=_SHOWN,
)


class NotificationViewSet(ApiViewSet):
    """Send messages and read their status."""

    rate_limited_actions = frozenset({"sms", "email"})

    def sms(self, request: Request) -> JSONResponse:
        if self.environ.get("QUERY_STRING") and self._is_only_checked(request):
            body = serializers.TextMessageSerializer.shared().part(read_json(self.environ), self.service)
            return self._shown(dry_run.check_sms(self.api_key, body))
        return self._send(
            serializers.TextMessageSerializer, serializers.SentTextMessage, submit.submit_sms, LimitKind.SMS
        )

    def email(self, request: Request) -> JSONResponse:
        if self.environ.get("QUERY_STRING") and self._is_only_checked(request):
            body = serializers.EmailSerializer.shared().part(read_json(self.environ), self.service)
            unsubscribe_url = f"{base_url(request)}/unsubscribe/preview"
            return self._shown(dry_run.check_email(self.api_key, body, unsubscribe_url=unsubscribe_url))
        return self._send(serializers.EmailSerializer, serializers.SentEmail, submit.submit_email, LimitKind.EMAIL)

    def retrieve(self, request: Request, notification_id: str) -> JSONResponse:
        identifier = path_id("notification_id", notification_id)
        found = _FIND_SHOWN.first(identifier, self.service.id, self.service.kept_since())
        if found is None:
            raise errors.NoResultFound
        context = {"base": base_url(self.request), "fallback": found[-3:]}
        return JSONResponse(OneNotificationSerializer(context=context).to_representation(_SHOWN.named(found)))

    def list(self, request: Request) -> JSONResponse:
        queries.check(request.query_params, queries.NOTIFICATION_FILTERS)
        page = queries.notifications(self.service, self.api_key.key_type, request.query_params)
        return JSONResponse(lists.NotificationsSerializer(page, context=self.context).data)

    def scheduled(self, request: Request) -> JSONResponse:
        queries.check(request.query_params, queries.NOTIFICATION_FILTERS)
        page = queries.scheduled_notifications(self.service, self.api_key.key_type, request.query_params)
        return JSONResponse(lists.ScheduledNotificationsSerializer(page, context=self.context).data)

    def move(self, request: Request, notification_id: str) -> JSONResponse:
        identifier = path_id("notification_id", notification_id)
        values = self.checked(serializers.MoveSerializer, read_json(self.environ))
        scheduled.move(scheduled.find(self.api_key, identifier), values["scheduled_for"])
        return self.retrieve(request, notification_id)

    def cancel(self, request: Request, notification_id: str) -> JSONResponse:
        scheduled.cancel(scheduled.find(self.api_key, path_id("notification_id", notification_id)))
        return self.retrieve(request, notification_id)

    def _is_only_checked(self, request: Request) -> bool:
        """Return whether the request is a dry run. Raises an error for any other query parameter."""
        queries.check(request.query_params, queries.SEND_PARAMETERS)
        return self.is_dry_run

    def _shown(self, run: DryRun) -> JSONResponse:
        return JSONResponse(DryRunSerializer(context=self.context).to_representation(run))

    def _send(
        self,
        body: type[serializers.MessageSerializer],
        answer: type[serializers.SentMessage],
        submit_message: Submit,
        kind: LimitKind,
    ) -> JSONResponse:
        """Run steps 3 to 23: answer a repeated request, then check the daily limit, then read the body."""
        key = self.environ.get("HTTP_IDEMPOTENCY_KEY")
        if key is None:
            limits.check(self.api_key, kind)
            return self._accept(body, read_json(self.environ), answer, submit_message)

        if not idempotency.is_well_formed(key, with_spaces=True):
            raise errors.IdempotencyKeyMalformed
        value = read_json(self.environ)
        sent = IdempotencyKey(key, idempotency.json_fingerprint(self.action, value))
        with claimed(self.api_key, sent) as claim:
            if claim.answer is not None:
                return JSONResponse(claim.answer, status=201, headers={"Idempotent-Replay": "true"})
            limits.check(self.api_key, kind)
            return self._accept(body, value, answer, submit_message, claim)

    def _accept(
        self,
        body: type[serializers.MessageSerializer],
        value: object,
        answer: type[serializers.SentMessage],
        submit_message: Submit,
        claim: IdempotencyClaim | None = None,
    ) -> JSONResponse:
        """Run steps 8 to 23. If the request has an idempotency key, store the response with the message."""
        message = self.checked(body, value)
        base = base_url(self.request)
        keep = None if claim is None else lambda submission: claim.keep(answer.written(submission, base))
        submission = submit_message(self.api_key, message, keep=keep)
        headers = {"Repeat-Of": str(submission.repeat_of)} if submission.repeat_of else None
        return JSONResponse(answer.written(submission, base), status=201, headers=headers)


class TemplateViewSet(ApiViewSet):
    """Read templates. Archived templates are not in the list but can be read by id, and drafts only by a test key."""

    def list(self, request: Request) -> JSONResponse:
        queries.check(request.query_params, queries.TEMPLATE_FILTERS)
        by_test_key = templates.uses_test_version(self.api_key)
        versions = templates.versions_in_use(self.service.id, by_test_key=by_test_key).filter(
            template__archived_at=None
        )
        if types := request.query_params.getlist("type"):
            versions = versions.filter(template__type__in=types)
        # Sorted in Python, because databases order names differently.
        newest = {version.template_id: version for version in versions.reverse()}
        rows = sorted(newest.values(), key=lambda version: (version.name, version.template.type))
        return JSONResponse(lists.TemplatesSerializer({"templates": rows}).data)

    def retrieve(self, request: Request, template_id: str) -> JSONResponse:
        return JSONResponse(TemplateSerializer().to_representation(_in_use(self.api_key, template_id)))

    def version(self, request: Request, template_id: str, number: str) -> JSONResponse:
        own = TemplateVersion.objects.filter(template=path_id("id", template_id), template__service=self.service)
        if not templates.uses_test_version(self.api_key):
            own = own.filter(state=VersionState.PUBLISHED)
        is_number = number.isascii() and number.isdecimal() and len(number) < 10  # fits the integer column
        version = one(own.select_related("template").filter(number=int(number)) if is_number else own.none())
        return JSONResponse(TemplateSerializer().to_representation(version))

    def preview(self, request: Request, template_id: str) -> JSONResponse:
        version = _in_use(self.api_key, template_id)
        given = self.checked(serializers.PreviewValuesSerializer, read_json_if_any(self.environ))
        values, language = given.get("personalisation", {}), given.get("language")
        unsubscribe_url = f"{base_url(request)}/unsubscribe/preview"
        filled = preview(self.service, version, values, unsubscribe_url=unsubscribe_url, language=language)
        return JSONResponse(PreviewSerializer(filled).data)


class ReceivedTextViewSet(ApiViewSet):
    """Read the texts that people sent to the service. The list is the same for every key type."""

    def list(self, request: Request) -> JSONResponse:
        queries.check(request.query_params, queries.RECEIVED_TEXT_FILTERS)
        page = queries.received_texts(self.service, request.query_params)
        return JSONResponse(lists.ReceivedTextsSerializer(page, context=self.context).data)


class UnsubscribeRequestViewSet(ApiViewSet):
    """Read the unsubscribe requests of recipients. The list is the same for every key type."""

    def list(self, request: Request) -> JSONResponse:
        queries.check(request.query_params, queries.UNSUBSCRIBE_REQUEST_FILTERS)
        page = queries.unsubscribe_requests(self.service, request.query_params)
        return JSONResponse(lists.UnsubscribeRequestsSerializer(page, context=self.context).data)


def _in_use(key: ApiKey, template_id: str) -> TemplateVersion:
    versions = templates.versions_in_use(key.service_id, by_test_key=templates.uses_test_version(key))
    return one(versions.filter(template=path_id("id", template_id)))
