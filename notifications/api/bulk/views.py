"""The resources below /v2/notifications/bulk. Source: docs/reference/bulk-sending.md §7, §8."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from django.conf import settings
from rest_framework.request import Request

from config.audit import Actor
from config.rest import body, idempotency
from config.rest.content import JSONResponse
from config.rest.idempotency import IdempotencyKey
from notifications import errors
from notifications.api import queries
from notifications.api.base import ERRORS, ApiViewSet, check_is_json, one, read_json
from notifications.api.bulk import lists, serializers
from notifications.api.bulk.dry_runs import BulkDryRunSerializer
from notifications.api.bulk.spool import SpooledBody, check_json, spool
from notifications.api.fields import path_id
from notifications.bulk_tables import bodies, tables
from notifications.bulk_tables.bodies import SentTable
from notifications.bulk_tables.tables import Table
from notifications.models import BulkSend
from notifications.submission.bulk import accept, change, dry_run, judge, retry
from notifications.submission.sending.idempotency import IdempotencyClaim, claimed

CLAIM_LASTS = timedelta(seconds=180)
REPEATS_FOR = timedelta(minutes=10)  # equal bytes without a key
_OF_BODY = "body\N{EN DASH}"  # no key of a caller begins like this: it has a character outside ASCII


class BulkSendViewSet(ApiViewSet):
    """Send to many recipients, and read and change what was sent."""

    errors = replace(ERRORS, max_bytes=lambda: settings.BULK_MAX_BYTES)
    rate_limited_actions = frozenset({"send"})

    def send(self, request: Request) -> JSONResponse:
        """Run steps 3 and 5 to 8 of a send, with the body in a file, then check the table."""
        queries.check(request.query_params, queries.SEND_PARAMETERS)
        if self.is_dry_run:
            return self._dry_run(request)
        key = self.environ.get("HTTP_IDEMPOTENCY_KEY")
        if key is not None and not idempotency.is_well_formed(key, with_spaces=True):
            raise errors.IdempotencyKeyMalformed
        check_is_json(self.environ)
        body.check_coding(self.environ)
        spooled = spool(self.environ, max_bytes=settings.BULK_MAX_BYTES)
        try:
            fingerprint = idempotency.fingerprint(f"bulk {spooled.fingerprint}".encode())
            sent = IdempotencyKey(f"{_OF_BODY}{fingerprint}" if key is None else key, fingerprint)
            repeats_for = REPEATS_FOR if key is None else None
            with claimed(self.api_key, sent, lasts=CLAIM_LASTS, repeats_for=repeats_for) as claim:
                if claim.answer is not None:
                    return JSONResponse(claim.answer, status=201, headers={"Idempotent-Replay": "true"})
                return self._accept(spooled, claim)
        finally:
            spooled.close()

    def _dry_run(self, request: Request) -> JSONResponse:
        """Carry out steps 5 to 8 and all checks of the table. Store, send and count nothing."""
        check_is_json(self.environ)
        body.check_coding(self.environ)
        spooled = spool(self.environ, max_bytes=settings.BULK_MAX_BYTES)
        try:
            check_json(spooled)
            with judge.one_at_a_time(), bodies.read(spooled.file) as read:
                part = serializers.BulkSendRequestSerializer.shared().part(read.value, self.service, _opening)
                run = dry_run.check(self.api_key, part)
                return JSONResponse(BulkDryRunSerializer(context=self.context).to_representation(run))
        finally:
            spooled.close()

    def list(self, request: Request) -> JSONResponse:
        queries.check(request.query_params, lists.FILTERS)
        page = lists.bulk_sends(self.service, self.api_key.key_type, request.query_params)
        return JSONResponse(lists.BulkSendsSerializer(page, context=self.context).data)

    def retrieve(self, request: Request, bulk_send_id: str) -> JSONResponse:
        return JSONResponse(serializers.BulkSendDetails().to_representation(self._find(bulk_send_id)))

    def rows(self, request: Request, bulk_send_id: str) -> JSONResponse:
        queries.check(request.query_params, lists.ROW_FILTERS)
        page = lists.rows(self._find(bulk_send_id), request.query_params)
        return JSONResponse(lists.BulkRowsSerializer(page, context=self.context).data)

    def move(self, request: Request, bulk_send_id: str) -> JSONResponse:
        bulk_send = self._find(bulk_send_id)
        values = self.checked(serializers.MoveBulkSendSerializer, read_json(self.environ))
        change.move(bulk_send, values["scheduled_for"], self.actor)
        return JSONResponse(serializers.BulkSendAnswer().to_representation(bulk_send))

    def pause(self, request: Request, bulk_send_id: str) -> JSONResponse:
        return self._change(change.pause, bulk_send_id)

    def resume(self, request: Request, bulk_send_id: str) -> JSONResponse:
        return self._change(change.resume, bulk_send_id)

    def cancel(self, request: Request, bulk_send_id: str) -> JSONResponse:
        bulk_send = self._find(bulk_send_id)
        change.cancel(bulk_send, self.actor)
        return JSONResponse(serializers.CancelledBulkSendAnswer().to_representation(bulk_send))

    def retry_failed(self, request: Request, bulk_send_id: str) -> JSONResponse:
        bulk_send = self._find(bulk_send_id)
        with judge.one_at_a_time():
            retried, is_new = retry.retry_failed(bulk_send, self.api_key, self.actor)
        return JSONResponse(serializers.BulkSendAnswer().to_representation(retried), status=201 if is_new else 200)

    def _accept(self, spooled: SpooledBody, claim: IdempotencyClaim) -> JSONResponse:
        """Run steps 7 and 8 and the checks of the table. One at a time, because a table may take seconds."""
        check_json(spooled)
        with judge.one_at_a_time(), bodies.read(spooled.file) as read:
            request, source = self.checked(serializers.BulkSendRequestSerializer, read.value)

            def keep(bulk_send: BulkSend) -> None:
                claim.keep(serializers.BulkSendAnswer().to_representation(bulk_send))

            table = _opening(source)
            bulk_send = accept.accept(self.api_key, request, table, actor=self.actor, keep=keep)
            return JSONResponse(serializers.BulkSendAnswer().to_representation(bulk_send), status=201)

    def _change(self, make: Callable[[BulkSend, Actor], None], bulk_send_id: str) -> JSONResponse:
        bulk_send = self._find(bulk_send_id)
        make(bulk_send, self.actor)
        return JSONResponse(serializers.BulkSendAnswer().to_representation(bulk_send))

    def _find(self, bulk_send_id: str) -> BulkSend:
        """Return a bulk send that the key may read. Raises ValidationError, NoResultFound."""
        visible = BulkSend.objects.visible(self.service.id, self.api_key.key_type).select_related("api_key")
        return one(visible.filter(pk=path_id("id", bulk_send_id)))


def _opening(table: SentTable) -> Callable[[], Table]:
    """Return what opens the table. Raises InvalidTable if it cannot be read."""

    def open_table() -> Table:
        try:
            return table.open()
        except tables.UnreadableTable as error:
            raise errors.InvalidTable([errors.TableUnreadable(str(error))]) from error

    return open_table
