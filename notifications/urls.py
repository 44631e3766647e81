"""Every address of the sending area. One list: an `include` would be one more step for each call on its way."""

from notifications.api.urls import urlpatterns as api
from notifications.download.unsubscribe_urls import urlpatterns as unsubscribe
from notifications.download.urls import urlpatterns as download
from notifications.receipts.urls import urlpatterns as receipts
from notifications.sandbox.urls import urlpatterns as sandbox

urlpatterns = [*api, *sandbox, *download, *receipts, *unsubscribe]
