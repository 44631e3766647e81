"""The URLs of the sending area, in one list, because an `include` would add a step to each look-up."""

from notifications.api.urls import urlpatterns as api
from notifications.download.reply_to_urls import urlpatterns as reply_to
from notifications.download.unsubscribe_urls import urlpatterns as unsubscribe
from notifications.download.urls import urlpatterns as download
from notifications.receipts.urls import urlpatterns as receipts
from notifications.sandbox.urls import urlpatterns as sandbox

urlpatterns = [*api, *sandbox, *download, *receipts, *unsubscribe, *reply_to]
