"""The addresses of the documentation."""

from django.urls import path

from config.docs import views

urlpatterns = [
    path("openapi.json", views.openapi),
]
