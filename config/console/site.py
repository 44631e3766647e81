"""The console as a site: the theme's, with an overview of our own."""

from typing import Any

from django.http import HttpRequest
from django.template.response import TemplateResponse

from config.console import navigation, overview, ribbon
from config.console.theme import AdminSite


class ConsoleSite(AdminSite):
    site_title = "Signalbox"
    site_header = "Signalbox"
    index_title = "Overview"
    index_template = "admin/overview.html"
    enable_nav_sidebar = True

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show what has happened, what to do first, and where everything is."""
        context = {"panels": overview.shown(request), "sections": navigation.sections(request), **(extra_context or {})}
        return super().index(request, context)

    def each_context(self, request: Any) -> dict[str, Any]:
        return {**super().each_context(request), "ribbon": ribbon.environment(request)}
