"""URLs that providers post to."""

from django.urls import path

from notifications.receipts import views

urlpatterns = [
    path("providers/<str:name>/receipt", views.receipt),
    path("providers/<str:name>/receipt/", views.receipt),
    path("providers/<str:name>/received-text", views.received_text),
    path("providers/<str:name>/received-text/", views.received_text),
]
