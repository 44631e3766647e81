"""The URLs of sign-in and of a person's own account. They come before the admin's URLs, some of which they replace."""

from django.contrib import admin
from django.urls import path

from config.console import choose_password, forgot_password, my_account, second_factor_pages, sign_in

_inside = admin.site.admin_view

urlpatterns = [
    path("login/", sign_in.PasswordPage.as_view(), name="sign-in"),
    path("login/code/", sign_in.CodePage.as_view(), name="sign-in-code"),
    path("logout/", sign_in.sign_out, name="sign-out"),
    path("forgot-password/", forgot_password.ask, name="forgot-password"),
    path("choose-password/", choose_password.choose, name="choose-password"),
    path("account/", _inside(my_account.overview), name="my-account"),
    path("account/name/", _inside(my_account.change_name), name="change-name"),
    path("account/sessions/", _inside(my_account.end_other_sessions), name="end-other-sessions"),
    path("account/second-factor/", _inside(second_factor_pages.enrol), name="second-factor"),
    path("account/recovery-codes/", _inside(second_factor_pages.renew_recovery_codes), name="recovery-codes"),
    path("password_change/", _inside(my_account.change_password), name="change-password"),
]
