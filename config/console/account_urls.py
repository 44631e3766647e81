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


def _at_first_use(name: str) -> Callable[..., HttpResponse]:
    """Return a view that imports its module at the first request, because its library takes memory."""

    def view(request: HttpRequest, **kwargs: object) -> HttpResponse:
        answer: HttpResponse = import_string(f"config.console.{name}")(request, **kwargs)
        return answer

    return view


def _single_sign_on(name: str) -> Callable[[HttpRequest], HttpResponse]:
    """Return a view of the sign-in through a provider. It does not exist if there is no provider."""
    page = _at_first_use(f"single_sign_on.{name}")

    def view(request: HttpRequest) -> HttpResponse:
        if not single_sign_on.is_on():
            raise Http404
        return page(request)

    return view


def _passkey_page(name: str) -> Callable[..., HttpResponse]:
    return _inside(_at_first_use(f"passkeys.{name}"))


# The pages of background jobs had this path in version 1.0.0, and staff may have bookmarked one.
_old_job_page = RedirectView.as_view(url="/admin/operations/jobs/%(rest)s", permanent=True, query_string=True)

urlpatterns = [
    path("login/", sign_in.PasswordPage.as_view(), name="sign-in"),
    path("login/provider/", _single_sign_on("begin"), name="single-sign-on"),
    path("login/provider/callback/", _single_sign_on("callback"), name="single-sign-on-callback"),
    path("login/passkey/", _at_first_use("passkeys.sign_in.sign_in_alone"), name="passkey-sign-in"),
    path("login/code/", sign_in.CodePage.as_view(), name="sign-in-code"),
    path("login/code/passkey/", _at_first_use("passkeys.sign_in.second_step"), name="passkey-second-step"),
    path("confirm/passkey/", _passkey_page("sign_in.confirm"), name="passkey-confirm"),
    path("logout/", sign_in.sign_out, name="sign-out"),
    path("forgot-password/", forgot_password.ask, name="forgot-password"),
    path("choose-password/", choose_password.choose, name="choose-password"),
    path("account/", _inside(my_account.overview), name="my-account"),
    path("account/name/", _inside(my_account.change_name), name="change-name"),
    path("account/sessions/", _inside(my_account.end_other_sessions), name="end-other-sessions"),
    path("account/sessions/end/", _inside(my_account.end_session), name="end-session"),
    path("account/second-factor/", _inside(second_factor_pages.enrol), name="second-factor"),
    path("account/passkeys/add/", _passkey_page("pages.add"), name="add-passkey"),
    path("account/passkeys/<int:passkey_id>/rename/", _passkey_page("pages.rename"), name="rename-passkey"),
    path("account/passkeys/<int:passkey_id>/remove/", _passkey_page("pages.remove"), name="remove-passkey"),
    path("account/recovery-codes/", _inside(second_factor_pages.renew_recovery_codes), name="recovery-codes"),
    path("operations/steps/", _old_job_page, {"rest": ""}),
    path("operations/steps/<path:rest>", _old_job_page),
    path("password_change/", _inside(my_account.change_password), name="change-password"),
]
