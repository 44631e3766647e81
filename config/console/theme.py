"""The classes of the theme: Unfold's if it is installed, else Django's, under the same names.

Source: docs/reference/console.md §1.1. No other module of the console imports the theme.
"""

from typing import TYPE_CHECKING

from django.apps import apps

IS_INSTALLED = apps.is_installed("unfold")

if TYPE_CHECKING or not IS_INSTALLED:
    from django.contrib.admin import AdminSite, ModelAdmin, TabularInline
    from django.contrib.admin.forms import AdminAuthenticationForm as AuthenticationForm
    from django.contrib.admin.views.main import ChangeList
    from django.forms import (
        CheckboxInput,
        CheckboxSelectMultiple,
        EmailInput,
        NumberInput,
        PasswordInput,
        RadioSelect,
        Select,
        Textarea,
        TextInput,
    )
else:
    from unfold.admin import ModelAdmin, TabularInline
    from unfold.forms import AuthenticationForm
    from unfold.sites import UnfoldAdminSite as AdminSite
    from unfold.views import ChangeList
    from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget as CheckboxSelectMultiple
    from unfold.widgets import UnfoldAdminEmailInputWidget as EmailInput
    from unfold.widgets import UnfoldAdminIntegerFieldWidget as NumberInput
    from unfold.widgets import UnfoldAdminPasswordWidget as PasswordInput
    from unfold.widgets import UnfoldAdminRadioSelectWidget as RadioSelect
    from unfold.widgets import UnfoldAdminSelectWidget as Select
    from unfold.widgets import UnfoldAdminTextareaWidget as Textarea
    from unfold.widgets import UnfoldAdminTextInputWidget as TextInput
    from unfold.widgets import UnfoldBooleanWidget as CheckboxInput

__all__ = [
    "IS_INSTALLED",
    "AdminSite",
    "AuthenticationForm",
    "ChangeList",
    "CheckboxInput",
    "CheckboxSelectMultiple",
    "EmailInput",
    "ModelAdmin",
    "NumberInput",
    "PasswordInput",
    "RadioSelect",
    "Select",
    "TabularInline",
    "TextInput",
    "Textarea",
]
