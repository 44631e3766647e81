"""The resources below /v2/suppressions. Source: docs/reference/suppressions.md §3."""

from collections.abc import Mapping

from rest_framework.request import Request

from config.rest.content import JSONResponse
from notifications import errors
from notifications.api import queries
from notifications.api.base import ApiViewSet, one, read_json
from notifications.api.fields import path_id
from notifications.api.queries import Check, one_of, page_of, uuid
from notifications.api.suppressions import serializers
from notifications.models import Channel, KeyType, Suppression, SuppressionReason, SuppressionSource
from notifications.submission.suppressions import listing


def _is_short(name: str, value: str) -> None:
    serializers.short_text(name, value)


FILTERS: Mapping[str, Check] = {
    "type": one_of(*Channel.values),
    "reason": one_of(*SuppressionReason.values),
    "older_than": uuid,
}
LIFT_PARAMETERS: Mapping[str, Check] = {"reason": _is_short}


class SuppressionViewSet(ApiViewSet):
    """Read and change the suppressions of the service. They are the same for every key type."""

    http_method_names = [*ApiViewSet.http_method_names, "delete"]

    def list(self, request: Request) -> JSONResponse:
        queries.check(request.query_params, FILTERS)
        own = Suppression.objects.filter(service=self.service)
        rows = own.active()
        for column, name in (("channel", "type"), ("reason", "reason")):
            if values := request.query_params.getlist(name):
                rows = rows.filter(**{f"{column}__in": values})
        page = page_of(rows, request.query_params, anchors=own, keeps_place=True)
        return JSONResponse(serializers.SuppressionsSerializer(page, context=self.context).data)

    def search(self, request: Request) -> JSONResponse:
        """Find a recipient. It is in the body, because URLs are in access logs."""
        recipient = self.checked(serializers.RecipientSerializer, read_json(self.environ))["recipient"]
        active = Suppression.objects.filter(service=self.service).active()
        rows = active.of_recipient(recipient.key).order_by("-created_at", "-id")
        return JSONResponse(serializers.FoundSuppressionsSerializer({"suppressions": rows}).data)

    def add(self, request: Request) -> JSONResponse:
        self._check_key()
        values = self.checked(serializers.NewSuppressionSerializer, read_json(self.environ))
        row = listing.new(
            self.service,
            values["recipient"],
            source=SuppressionSource.API,
            created_by=self.api_key.name,
            note=values.get("note", ""),
            expires_at=values.get("expires_at"),
        )
        stored, is_new = listing.add(row, self.actor)
        return JSONResponse(serializers.SuppressionSerializer(stored).data, status=201 if is_new else 200)

    def retrieve(self, request: Request, suppression_id: str) -> JSONResponse:
        return JSONResponse(serializers.SuppressionSerializer(self._find(suppression_id)).data)

    def lift(self, request: Request, suppression_id: str) -> JSONResponse:
        self._check_key()
        queries.check(request.query_params, LIFT_PARAMETERS)
        reason = serializers.short_text("reason", request.query_params.get("reason", ""))
        row = self._find(suppression_id)
        listing.lift(row, self.actor, by=self.api_key.name, reason=reason)
        return JSONResponse(serializers.SuppressionSerializer(row).data)

    def _find(self, suppression_id: str) -> Suppression:
        return one(Suppression.objects.filter(service=self.service, pk=path_id("suppression_id", suppression_id)))

    def _check_key(self) -> None:
        if self.api_key.key_type == KeyType.TEST:
            raise errors.SuppressionsReadOnly
