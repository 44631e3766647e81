"""The URLs of the documentation."""

from django.urls import path

from config.docs import views

urlpatterns = [
    path("", views.reference, name="docs"),
    path("llms.txt", views.plain),
    path("openapi.json", views.openapi),
    path("search.json", views.search_index, name="docs-search"),
    path("changes/", views.change_log, name="docs-changes"),
    path("errors/", views.error_list, name="docs-errors"),
    path("errors/<slug:slug>/", views.error_page, name="docs-error"),
]
