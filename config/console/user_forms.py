"""The forms of accounts: whom to invite, and what an operator may change. Source: Staff console §2.19."""

from typing import Any

from django import forms
from django.contrib.auth.models import Permission, User

from config.accounts import lookup
from config.console.theme import CheckboxInput, EmailInput, TextInput

LAST_OPERATOR = "This is the last active operator. Make another one first."
OF_NAMES = (
    "For example m.patel. Letters, digits and @ . + - _ without spaces. Signing in works with the email address too."
)
NO_NAME = "Use letters, digits and @ . + - _ only, without spaces. For example: m.patel"
_MANAGES = "manage_data_sets"


class InviteForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """An email address and a name; the person chooses a password by a link."""

    email = forms.EmailField(label="Email address", max_length=254, widget=EmailInput(attrs={"autocomplete": "off"}))
    username = forms.CharField(
        label="User name",
        max_length=150,
        widget=TextInput(attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}),
        help_text=OF_NAMES,
    )

    class Meta:
        model = User
        fields = ("email", "username")

    def clean_email(self) -> str:
        return _unused_email(self.cleaned_data["email"])

    def clean_username(self) -> str:
        return unused_name(self.cleaned_data["username"], email=self.data.get("email", ""))


class RightsForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """What an operator may change of an account: its address, and what it may do."""

    manages_data_sets = forms.BooleanField(
        label="Manages data sets",
        required=False,
        widget=CheckboxInput(),
        help_text="All data sets, groups and types of this installation.",
    )

    class Meta:
        model = User
        fields = ("email", "is_active", "is_superuser")
        labels = {"is_active": "Active", "is_superuser": "Operator"}
        help_texts = {
            "is_active": "Without it nobody can sign in with this account; its rows stay.",
            "is_superuser": "May do everything here, also make accounts like this one.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if permission_to_manage() is None:
            self.fields.pop("manages_data_sets", None)
        else:
            self.initial.setdefault("manages_data_sets", manages_data_sets(self.instance))

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        # An account made on the command line may have none; what it has stays as it is.
        return email if email == self.instance.email else _unused_email(email, but=self.instance.pk)

    def clean(self) -> dict[str, Any]:
        """Refuse to take the last operator's rights: nobody could give them back.

        Under the operators' locks: of two who demote one another at once, one is refused.
        """
        cleaned = super().clean() or self.cleaned_data
        operators = User.objects.select_for_update().filter(is_active=True, is_superuser=True).order_by("pk")
        ids = set(operators.values_list("pk", flat=True))
        if ids == {self.instance.pk} and not (cleaned.get("is_active") and cleaned.get("is_superuser")):
            raise forms.ValidationError(LAST_OPERATOR)
        return cleaned


def permission_to_manage() -> Permission | None:
    """Return the installation-wide permission, where the area it belongs to is on."""
    return Permission.objects.filter(content_type__app_label="datasets", codename=_MANAGES).first()


def manages_data_sets(user: User) -> bool:
    """Say whether the account itself holds the permission; an operator needs none."""
    return any(permission.codename == _MANAGES for permission in user.user_permissions.all())


def unused_name(typed: str, *, email: str) -> str:
    """Return the user name of a new account as it is stored. Raises ValidationError.

    No account is found by it yet: another person's email address would take their way to sign in away.
    """
    name = lookup.plain(typed)
    try:
        User._meta.get_field("username").run_validators(name)
    except forms.ValidationError as error:
        raise forms.ValidationError(NO_NAME) from error
    if lookup.is_taken(name):
        raise forms.ValidationError("This name is taken. Choose another one.")
    if "@" in name and name.casefold() != email.strip().casefold():
        raise forms.ValidationError("A user name with an @ can only be the account's own email address.")
    return name


def _unused_email(email: str, *, but: int = 0) -> str:
    if lookup.is_taken(email, but=but):
        raise forms.ValidationError("This email address is already in use.")
    return email
