"""The bodies of lists: one page of records and the URLs of the pages. Source: docs/reference/sending-api.md §17."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from notifications.api.queries import PAGE_SIZE, KeysetPage
from notifications.api.records import (
    NotificationSerializer,
    ReceivedTextSerializer,
    TemplateSerializer,
    UnsubscribeRequestSerializer,
)

_NEWEST_FIRST = f"Newest first, at most {PAGE_SIZE}."
one_object = extend_schema_serializer(many=False)  # drf-spectacular expects an array from an action named `list`


class PageLinks(serializers.Serializer[KeysetPage]):
    current = serializers.URLField(help_text="The URL of this page.")
    next = serializers.URLField(required=False, help_text="The URL of the next page; absent if this page is empty.")

    def to_representation(self, page: KeysetPage) -> dict[str, str]:
        """Return the URLs. The first UUID in `next` must be `older_than`, because clients read that one."""
        url = self.context["url"]
        links = {"current": f"{url}?{page.current}" if page.current else url}
        return {**links, "next": f"{url}?{page.next}"} if page.next else links


@one_object
class NotificationsSerializer(serializers.Serializer[KeysetPage]):
    notifications = NotificationSerializer(many=True, source="rows", help_text=_NEWEST_FIRST)
    links = PageLinks(source="*")


@one_object
class ScheduledNotificationsSerializer(serializers.Serializer[KeysetPage]):
    notifications = NotificationSerializer(many=True, source="rows", help_text=f"Soonest first, at most {PAGE_SIZE}.")
    links = PageLinks(source="*")


@one_object
class TemplatesSerializer(serializers.Serializer[Any]):  # Any: a dict
    templates = TemplateSerializer(many=True, help_text="By name, then type.")


@one_object
class ReceivedTextsSerializer(serializers.Serializer[KeysetPage]):
    received_text_messages = ReceivedTextSerializer(many=True, source="rows", help_text=_NEWEST_FIRST)
    links = PageLinks(source="*")


@one_object
class UnsubscribeRequestsSerializer(serializers.Serializer[KeysetPage]):
    unsubscribe_requests = UnsubscribeRequestSerializer(many=True, source="rows", help_text=_NEWEST_FIRST)
    links = PageLinks(source="*")
