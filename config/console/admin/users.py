"""Accounts of the console. Source: Staff console §2.19."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db import models, transaction
from django.http import HttpRequest, HttpResponse

from config.console import changes
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.theme import AdminPasswordChangeForm, AdminUserCreationForm, UserChangeForm

admin.site.unregister(Group)
admin.site.unregister(User)


class OperatorKeepingForm(UserChangeForm):  # type: ignore[type-arg]  # Unfold's takes no parameter
    def clean(self) -> dict[str, Any]:
        """Refuse to take the last operator's rights: nobody could give them back."""
        cleaned = super().clean() or {}
        stays = cleaned.get("is_active") and cleaned.get("is_superuser")
        others = User.objects.filter(is_active=True, is_superuser=True).exclude(pk=self.instance.pk)
        if not stays and self.instance.is_superuser and not others.exists():
            raise forms.ValidationError("This is the last active operator. Make another one first.")
        return cleaned


@admin.register(User)
class ConsoleUserAdmin(ConsoleModelAdmin, UserAdmin):  # type: ignore[type-arg]
    """People who may sign in. Nobody is deleted: an account is made inactive."""

    form = OperatorKeepingForm
    add_form = AdminUserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "email", "is_active", "is_staff", "is_superuser", "last_login")
    list_filter = ("is_active", "is_superuser")
    search_fields = ()
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        (
            "Rights",
            {
                "fields": ("is_active", "is_staff", "is_superuser"),
                "description": "Staff may sign in here. An operator (superuser) may do everything.",
            },
        ),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """Set a password, and write that it was set into the audit."""
        with transaction.atomic():
            before = self._password_of(id)
            answer: HttpResponse = super().user_change_password(request, id, form_url)
            after = self._password_of(id)
            user = self.get_object(request, id)
            if user is not None and before != after:
                self.audit(request, "set_password_of", user, before=before, after=after)
        return answer

    def _password_of(self, user_id: str) -> dict[str, object]:
        user: models.Model | None = User.objects.filter(pk=user_id).first() if user_id.isdigit() else None
        return {"password": changes.snapshot(user)["password"]} if user else {}
