"""Describe the API key of a call, so that a program can check what it may do before it sends.

Source: docs/reference/sending-api.md §3.
"""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from config.rest.content import JSONResponse
from notifications.api.base import ApiViewSet
from notifications.api.fields import Moment
from notifications.models import ApiKey, KeyType


class KeyServiceSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    is_live = serializers.BooleanField(source="live", help_text="False in trial mode.")


class ApiKeySerializer(serializers.Serializer[ApiKey]):
    """The key without its secret."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    type = serializers.ChoiceField(choices=KeyType.values, source="key_type")
    service = KeyServiceSerializer()
    manages_templates = serializers.BooleanField(help_text="Whether the key may create, change and archive templates.")
    allowed_networks = serializers.ListField(
        child=serializers.CharField(), help_text="The only networks from which calls are accepted; empty for all."
    )
    allowed_templates = serializers.ListField(
        child=serializers.UUIDField(), help_text="The ids of the only templates that the key may send; empty for all."
    )
    daily_limit = serializers.IntegerField(
        allow_null=True,
        min_value=1,
        help_text="The most messages of the key on one UTC day; null if only the service has limits.",
    )
    created_at = Moment()
    expires_at = Moment(allow_null=True)


class ApiKeyViewSet(ApiViewSet):
    """Read the key that signed the token."""

    def retrieve(self, request: Request) -> JSONResponse:
        return JSONResponse(ApiKeySerializer(self.api_key).data)
