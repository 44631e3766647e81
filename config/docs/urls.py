"""The URLs of the documentation."""

from django.urls import path

from config.docs import views

urlpatterns = [
    path("", views.reference),
    path("llms.txt", views.plain),
    path("openapi.json", views.openapi),
]
