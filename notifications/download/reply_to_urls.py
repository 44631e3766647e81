"""The URL of the page that confirms a reply-to address."""

from django.urls import path

from notifications.download import reply_to

urlpatterns = [path("reply-to/confirm", reply_to.confirm, name="confirm-reply-to")]
