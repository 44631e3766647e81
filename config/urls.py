"""All URLs of the service. Each area defines its own."""

from importlib import import_module

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from config import views
from config.health import deep_check, metrics
from config.health import views as health

handler400 = "config.views.bad_request"
handler403 = "config.views.forbidden"
handler404 = "config.views.not_found"
handler500 = "config.views.server_error"

_areas = {"datasets": "datasets.api.urls", "notifications": "notifications.urls"}
_modules = [import_module(name) for area, name in _areas.items() if area in settings.AREAS]
urlpatterns: list[URLPattern | URLResolver] = [
    # First, because most requests go to the APIs. Not with `include`, which would add a step to each look-up.
    *(found for module in _modules for found in module.urlpatterns),
    # After the others, so that a request to one area does not try all paths of the other one.
    *(found for module in _modules for found in getattr(module, "rare_urlpatterns", ())),
    path("", views.front),
    path("_status", health.status),
    path("_status/", health.status),
    path("_status/serving", health.serving),
    path("_status/ready", health.ready),
    path("_status/deep", deep_check.deep),
    path("metrics", metrics.metrics),
    path("admin/", include("config.console.account_urls")),
    path("admin/", admin.site.urls),
    path("docs/", include("config.docs.urls")),
]
