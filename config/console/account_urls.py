"""The URLs of sign-in and of a person's own account. They come before the admin's URLs, some of which they replace."""

from collections.abc import Callable

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from django.utils.module_loading import import_string
from django.views.generic import RedirectView

from config.accounts import single_sign_on
from config.console import choose_password, forgot_password, my_account, second_factor_pages, sign_in

_inside = admin.site.admin_view


def _single_sign_on(name: str) -> Callable[[HttpRequest], HttpResponse]:
    """Return a view that imports its module, and with it Authlib, at the first request."""

    def view(request: HttpRequest) -> HttpResponse:
        if not single_sign_on.is_on():
            raise Http404
        answer: HttpResponse = import_string(f"config.console.single_sign_on.{name}")(request)
        return answer

    return view


# The pages of background jobs had this path in version 1.0.0, and staff may have bookmarked one.
_old_job_page = RedirectView.as_view(url="/admin/operations/jobs/%(rest)s", permanent=True, query_string=True)

urlpatterns = [
    path("login/", sign_in.PasswordPage.as_view(), name="sign-in"),
    path("login/provider/", _single_sign_on("begin"), name="single-sign-on"),
    path("login/provider/callback/", _single_sign_on("callback"), name="single-sign-on-callback"),
    path("login/code/", sign_in.CodePage.as_view(), name="sign-in-code"),
    path("logout/", sign_in.sign_out, name="sign-out"),
    path("forgot-password/", forgot_password.ask, name="forgot-password"),
    path("choose-password/", choose_password.choose, name="choose-password"),
    path("account/", _inside(my_account.overview), name="my-account"),
    path("account/name/", _inside(my_account.change_name), name="change-name"),
    path("account/sessions/", _inside(my_account.end_other_sessions), name="end-other-sessions"),
    path("account/sessions/end/", _inside(my_account.end_session), name="end-session"),
    path("account/second-factor/", _inside(second_factor_pages.enrol), name="second-factor"),
    path("account/recovery-codes/", _inside(second_factor_pages.renew_recovery_codes), name="recovery-codes"),
    path("operations/steps/", _old_job_page, {"rest": ""}),
    path("operations/steps/<path:rest>", _old_job_page),
    path("password_change/", _inside(my_account.change_password), name="change-password"),
]
