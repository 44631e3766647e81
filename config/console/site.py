"""The admin site of the console, with its own overview and a page that asks for the password again."""

from functools import partial
from typing import Any, cast
from urllib.parse import urlencode

from django.apps import apps
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, include, path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.functional import SimpleLazyObject
from django.views.decorators.debug import sensitive_post_parameters

from config import areas
from config.accounts import scope
from config.accounts.sessions import account_of
from config.console import find, navigation, needs, overview, pages, recent_sign_in, sign_in, switcher
from config.console.pages import OwnPages
from config.console.recent_sign_in import PasswordForm
from config.console.theme import IS_INSTALLED, AdminSite
from config.health import health_checks

_SCHEMES = (("light", "Light"), ("dark", "Dark"), ("auto", "As the system"))


class ConsoleSite(AdminSite):
    site_title = "Signalbox"
    site_header = "Signalbox"
    index_title = "Dashboard"
    index_template = "admin/overview.html"
    empty_value_display = "–"  # as the console's own cells show it
    enable_nav_sidebar = True

    def get_urls(self) -> list[URLPattern]:  # type: ignore[override]  # Django's list also holds resolvers
        """Leave out `view_on_site`, which reveals whether a row exists (trap T8), and a page without content."""
        left_out = {"view_on_site", "password_change_done"}
        django_urls = [url for url in super().get_urls() if getattr(url, "name", "") not in left_out]
        own = [
            path("confirm/", self.admin_view(self.confirm), name="confirm"),
            path("needs/", self.admin_view(needs.fragment, cacheable=True), name="needs"),
            path("find/", self.admin_view(find.find), name="find"),
            path("find/suggest/", self.admin_view(find.suggest), name="suggest"),
            path("operations/health/", self.admin_view(self.health), name="health"),
            path("switch-service/", self.admin_view(self.switch_service), name="switch_service"),
            *(url for part in areas.parts(OwnPages) for url in part.urls(self.admin_view)),
        ]
        paths = {
            f"{model._meta.app_label}/{model._meta.model_name}/": getattr(self.get_model_admin(model), "site_path", "")
            for model in filter(self.is_registered, apps.get_models())
        }
        renamed = [
            path(paths[str(url.pattern)], include(cast(URLResolver, url).url_patterns))
            for url in django_urls
            if paths.get(str(url.pattern))
        ]
        others = [url for url in django_urls if not paths.get(str(url.pattern))]
        return [*own, *renamed, *others]  # type: ignore[list-item]

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return the models that this person may open, queried only if a template shows them.

        The pages show the menu of `navigation` instead, and this list took a sixth of the time of a page.
        """
        app_list = SimpleLazyObject(partial(super().get_app_list, request, app_label))
        return cast(list[Any], app_list)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show numbers and first steps, or how to get permission if the person has none."""
        if not scope.has_anything(request):
            return pages.show(request, "admin/nobody.html", "Welcome")
        context = {
            "panels": overview.shown(request),
            "needs": needs.of_person(request),
            "clean_up": overview.clean_up(request),
            "taken_at": timezone.now(),
            **(extra_context or {}),
        }
        return super().index(request, context)

    def health(self, request: HttpRequest) -> HttpResponse:
        """Show the findings of the deep check, failed ones first, each with its fix."""
        if not scope.is_operator(request):
            raise PermissionDenied
        findings = sorted(health_checks.examine(), key=lambda finding: not finding.fix)
        failed = sum(1 for finding in findings if finding.fix)
        found = {"findings": findings, "failed": failed, "taken_at": timezone.now()}
        return pages.show(request, "admin/health.html", "Health", status=200, **found)

    def switch_service(self, request: HttpRequest) -> HttpResponse:
        """Choose the service whose rows the lists show. Returns 404 for a service that this person may not see."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        response = switcher.switch(request)
        if response is None:
            raise Http404
        return response

    @method_decorator(sensitive_post_parameters())
    def confirm(self, request: HttpRequest) -> HttpResponse:
        """Ask for the password again and return to the page that required it."""
        form = PasswordForm(request.POST if request.method == "POST" else None, request=request)
        if form.is_valid():
            recent_sign_in.remember(request)
            return HttpResponseRedirect(recent_sign_in.way_back(request))
        explanation = [f"You signed in more than {settings.SUDO_MINUTES} minutes ago, and the next page is protected."]
        frame: dict[str, Any] = {"explanation": explanation, "button": "Continue", "list_url": "/admin/"}
        frame |= sign_in.factors_of(request, account_of(request))
        query = urlencode({"next": recent_sign_in.way_back(request)})
        frame |= {"passkey_url": f"{reverse('passkey-confirm')}?{query}"}
        return pages.show(request, "admin/confirm.html", "Enter your password again", form=form, **frame)

    def each_context(self, request: Any) -> dict[str, Any]:
        frame = {"ribbon": _ribbon(), "is_themed": IS_INSTALLED, "schemes": _SCHEMES}
        frame["session_seconds"] = settings.SESSION_COOKIE_AGE
        own = {"switcher": switcher.shown(request), **navigation.frame(request)} if self.has_permission(request) else {}
        return {**super().each_context(request), **frame, **own}


def _ribbon() -> dict[str, str]:
    """Return the label of the top bar that shows whether messages leave. Source: docs/reference/console.md §1.4."""
    if set(settings.PROVIDERS) <= {"sandbox"}:
        return {"label": "Test system", "detail": "nothing is really sent", "tone": "warn"}
    return {"label": "Live", "detail": "", "tone": "bad"}
