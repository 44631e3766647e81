"""The console as a site: the theme's, with an overview of our own, and a page that asks for the password once more."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path

from config.console import navigation, overview, recent_sign_in, ribbon
from config.console.recent_sign_in import PasswordForm
from config.console.theme import AdminSite


class ConsoleSite(AdminSite):
    site_title = "Signalbox"
    site_header = "Signalbox"
    index_title = "Overview"
    index_template = "admin/overview.html"
    enable_nav_sidebar = True

    def get_urls(self) -> list[URLPattern]:  # type: ignore[override]  # Django's list also holds resolvers
        return [path("confirm/", self.admin_view(self.confirm), name="confirm"), *super().get_urls()]  # type: ignore[list-item]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show what has happened, what to do first, and where everything is."""
        context = {"panels": overview.shown(request), "sections": navigation.sections(request), **(extra_context or {})}
        return super().index(request, context)

    def confirm(self, request: HttpRequest) -> HttpResponse:
        """Ask for the password once more, and go back to the step that wanted it."""
        form = PasswordForm(request.POST if request.method == "POST" else None, request=request)
        if form.is_valid():
            recent_sign_in.remember(request)
            return HttpResponseRedirect(recent_sign_in.way_back(request))
        explanation = ["The next step cannot be taken back, or shows a secret. Your last sign-in is a while ago."]
        context = {
            "title": "Is it you?",
            "form": form,
            "explanation": explanation,
            "button": "Go on",
            "list_url": "/admin/",
        }
        return TemplateResponse(request, "admin/step.html", {**self.each_context(request), **context})

    def each_context(self, request: Any) -> dict[str, Any]:
        return {**super().each_context(request), "ribbon": ribbon.environment(request)}
