"""The console as a site: the theme's, with an overview of our own, and a page that asks for the password once more."""

from typing import Any, cast

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, include, path
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters

from config.console import navigation, overview, recent_sign_in, ribbon, scope, switcher
from config.console.recent_sign_in import PasswordForm
from config.console.theme import IS_INSTALLED, AdminSite


class ConsoleSite(AdminSite):
    site_title = "Signalbox"
    site_header = "Signalbox"
    index_title = "Overview"
    index_template = "admin/overview.html"
    enable_nav_sidebar = True

    def get_urls(self) -> list[URLPattern]:  # type: ignore[override]  # Django's list also holds resolvers
        """Return Django's pages and ours, without the one that tells whether a row of any kind exists (trap T8)."""
        theirs = [url for url in super().get_urls() if getattr(url, "name", "") != "view_on_site"]
        ours = [
            path("confirm/", self.admin_view(self.confirm), name="confirm"),
            path("switch-service/", self.admin_view(self.switch_service), name="switch_service"),
        ]
        addresses = {_usual_address(one): getattr(one, "site_address", "") for one in self._registry.values()}
        renamed = [
            path(addresses[str(url.pattern)], include(cast(URLResolver, url).url_patterns))
            for url in theirs
            if addresses.get(str(url.pattern))
        ]
        usual = [url for url in theirs if not addresses.get(str(url.pattern))]
        return [*ours, *renamed, *usual]  # type: ignore[list-item]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show what has happened, what to do first, and where everything is; or whom to ask for rights."""
        if not scope.has_anything(request):
            return TemplateResponse(request, "admin/nobody.html", {**self.each_context(request), "title": "Welcome"})
        context = {
            "panels": overview.shown(request),
            "clean_up": overview.clean_up(request),
            "sections": navigation.sections(request),
            "taken_at": timezone.now(),
            **(extra_context or {}),
        }
        return super().index(request, context)

    def switch_service(self, request: HttpRequest) -> HttpResponse:
        """Choose the service whose rows the lists show; one that is not this person's does not exist."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        answer = switcher.switch(request)
        if answer is None:
            raise Http404
        return answer

    @method_decorator(sensitive_post_parameters())
    def confirm(self, request: HttpRequest) -> HttpResponse:
        """Ask for the password once more, and go back to the step that wanted it."""
        form = PasswordForm(request.POST if request.method == "POST" else None, request=request)
        if form.is_valid():
            recent_sign_in.remember(request)
            return HttpResponseRedirect(recent_sign_in.way_back(request))
        explanation = [f"You signed in more than {settings.SUDO_MINUTES} minutes ago, and the next page is protected."]
        context = {
            "title": "Enter your password again",
            "form": form,
            "explanation": explanation,
            "button": "Continue",
            "list_url": "/admin/",
        }
        return TemplateResponse(request, "admin/step.html", {**self.each_context(request), **context})

    def each_context(self, request: Any) -> dict[str, Any]:
        frame = {"ribbon": ribbon.shown(), "is_themed": IS_INSTALLED}
        services = switcher.shown(request) if self.has_permission(request) else {}
        return {**super().each_context(request), **frame, "switcher": services}


def _usual_address(model_admin: Any) -> str:
    return f"{model_admin.opts.app_label}/{model_admin.opts.model_name}/"
