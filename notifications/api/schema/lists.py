"""The bodies of lists and of a preview, as the OpenAPI document describes them; `queries` and the views make them."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from notifications.api.queries import PAGE_SIZE
from notifications.api.records import (
    NotificationSerializer,
    Null,
    ReceivedTextSerializer,
    TemplateSerializer,
    UnsubscribeRequestSerializer,
)
from notifications.models import Channel

_one_object = extend_schema_serializer(many=False)  # an action called `list` would be taken to answer an array


class PageLinks(serializers.Serializer[Any]):
    current = serializers.URLField(help_text="This page.")
    next = serializers.URLField(required=False, help_text="The page after it; absent when this one is empty.")


@_one_object
class Notifications(serializers.Serializer[Any]):
    notifications = NotificationSerializer(many=True, help_text=f"Newest first, at most {PAGE_SIZE}.")
    links = PageLinks()


@_one_object
class Templates(serializers.Serializer[Any]):
    templates = TemplateSerializer(many=True, help_text="By name, then type.")


class Preview(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    type = serializers.ChoiceField(choices=Channel.values)
    version = serializers.IntegerField(min_value=1)
    body = serializers.CharField(help_text="The text as it would be sent.")
    subject = serializers.CharField(allow_null=True, help_text="null for a text message.")
    html = serializers.CharField(
        allow_null=True, help_text="The email as mail programs show it; null for a text message."
    )
    postage = Null(help_text="Always null.")


@_one_object
class ReceivedTexts(serializers.Serializer[Any]):
    received_text_messages = ReceivedTextSerializer(many=True, help_text=f"Newest first, at most {PAGE_SIZE}.")
    links = PageLinks()


@_one_object
class UnsubscribeRequests(serializers.Serializer[Any]):
    unsubscribe_requests = UnsubscribeRequestSerializer(many=True, help_text=f"Newest first, at most {PAGE_SIZE}.")
    links = PageLinks()
