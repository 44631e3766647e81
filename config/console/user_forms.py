"""The forms that operators use to invite people and change accounts. Source: docs/reference/console.md §2.19."""

from typing import Any

from django import forms
from django.contrib.auth.models import Permission, User

from config.accounts import lookup
from config.console.theme import CheckboxInput, EmailInput, TextInput

LAST_OPERATOR = "This is the last active operator. Give another account the operator role first."
NAME_HELP = "For example m.patel. The person can also sign in with their email address."
INVALID_NAME = "Enter a user name of letters, digits and @ . + - _ without spaces. For example: m.patel"
_MANAGES = "manage_data_sets"


class InviteForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """Email address and user name of a new account. The person chooses the password with a link."""

    email = forms.EmailField(label="Email address", max_length=254, widget=EmailInput(attrs={"autocomplete": "off"}))
    username = forms.CharField(
        label="User name",
        max_length=150,
        widget=TextInput(attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}),
        help_text=NAME_HELP,
    )

    class Meta:
        model = User
        fields = ("email", "username")

    def clean_email(self) -> str:
        return _unused_email(self.cleaned_data["email"])

    def clean_username(self) -> str:
        return unused_name(self.cleaned_data["username"], email=self.data.get("email", ""))


class PermissionsForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """The email address and permissions of an account."""

    manages_data_sets = forms.BooleanField(
        label="Manages data sets",
        required=False,
        widget=CheckboxInput(),
        help_text="Can manage all data sets, groups and types.",
    )

    class Meta:
        model = User
        fields = ("email", "is_active", "is_superuser")
        labels = {"is_active": "Active", "is_superuser": "Operator"}
        help_texts = {
            "is_active": "If this is off, the person cannot sign in. Nothing is deleted.",
            "is_superuser": "Can do everything in this installation, and create other operators.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if permission_to_manage() is None:
            self.fields.pop("manages_data_sets", None)
        else:
            self.initial.setdefault("manages_data_sets", manages_data_sets(self.instance))

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        # An account created on the command line may have none, so an unchanged value is always valid.
        return email if email == self.instance.email else _unused_email(email, but=self.instance.pk)

    def clean(self) -> dict[str, Any]:
        """Reject a change that would leave no operator.

        The operators' rows are locked, so two operators cannot demote each other at the same time.
        """
        cleaned = super().clean() or self.cleaned_data
        operators = User.objects.select_for_update().filter(is_active=True, is_superuser=True).order_by("pk")
        ids = set(operators.values_list("pk", flat=True))
        if ids == {self.instance.pk} and not (cleaned.get("is_active") and cleaned.get("is_superuser")):
            raise forms.ValidationError(LAST_OPERATOR)
        return cleaned


def permission_to_manage() -> Permission | None:
    """Return the permission to manage data sets, or None if the installation has no data sets."""
    return Permission.objects.filter(content_type__app_label="datasets", codename=_MANAGES).first()


def manages_data_sets(user: User) -> bool:
    """Return whether the account has the permission. Operators need none."""
    return any(permission.codename == _MANAGES for permission in user.user_permissions.all())


def unused_name(typed: str, *, email: str) -> str:
    """Return the normalized user name of a new account. Raises ValidationError if it is invalid or in use.

    A user name equal to another person's email address would stop that person from signing in with it.
    """
    name = lookup.plain(typed)
    try:
        User._meta.get_field("username").run_validators(name)
    except forms.ValidationError as error:
        raise forms.ValidationError(INVALID_NAME) from error
    if lookup.is_taken(name):
        raise forms.ValidationError("This user name is already in use. Enter another one.")
    if "@" in name and name.casefold() != email.strip().casefold():
        raise forms.ValidationError("Remove the @, or enter the email address of this account as the user name.")
    return name


def _unused_email(email: str, *, but: int = 0) -> str:
    if lookup.is_taken(email, but=but):
        raise forms.ValidationError("Another account already uses this email address. Enter a different one.")
    return email
