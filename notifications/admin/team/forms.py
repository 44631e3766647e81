"""Forms for a team member and their roles. Source: docs/reference/console.md §1.3, §2.7."""

from typing import Any

from django import forms

from config.console.checking import checked
from config.console.theme import CheckboxSelectMultiple
from notifications.models import Role, TeamMember
from notifications.validation import people

SOMEONE_MUST_MANAGE = "Someone must be able to manage this service."
_LINES = {
    Role.SEE_ACTIVITY: "view the overview, log, files, templates and settings, with recipients masked",
    Role.SEE_RECIPIENTS: "view recipients in full and search for them",
    Role.SEND_MESSAGES: "send one-off and test messages",
    Role.EDIT_TEMPLATES: "create, change, archive and restore templates",
    Role.MANAGE_API: "manage keys, callbacks, the guest list, senders and reply-to addresses. "
    "A key or a callback gives access to all recipients",
    Role.MANAGE_SERVICE: "manage settings, the team and files, and view the audit of the service",
}


class RolesField(forms.MultipleChoiceField):
    """A tick box for each role, with a sentence on what it allows."""

    def __init__(self, **kwargs: Any) -> None:
        choices = [(role.value, f"{role.label}: {_LINES[role]}") for role in Role]
        super().__init__(choices=choices, widget=CheckboxSelectMultiple, required=False, **kwargs)


class TeamMemberForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """A team member. Roles are set here for a new member, and later on their own page."""

    class Meta:
        model = TeamMember
        fields = ("service", "email_address", "phone_number")
        help_texts = {
            "email_address": "The service can always send to this address, even while it is in trial.",
            "phone_number": "Optional. The service can always send text messages to this number.",
        }

    def clean_email_address(self) -> str:
        email_address = checked(people.parse_email_address, self.cleaned_data["email_address"])
        self.instance.normalised_email = email_address.normalised
        return email_address.given

    def clean_phone_number(self) -> str:
        self.instance.normalised_phone = ""
        if not self.cleaned_data["phone_number"]:
            return ""
        number = checked(people.parse_phone_number, self.cleaned_data["phone_number"])
        self.instance.normalised_phone = number.normalised
        return number.given

    def clean(self) -> dict[str, Any]:
        """Reject a recipient who is in the team already, in any spelling."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        service = cleaned.get("service") or getattr(self.instance, "service", None)
        if service is not None and "email_address" in cleaned:
            same = service.team.filter(normalised_email=self.instance.normalised_email).exclude(pk=self.instance.pk)
            if same.exists():
                self.add_error("email_address", people.IN_TEAM)
        return cleaned


class NewTeamMemberForm(TeamMemberForm):
    roles = RolesField(
        help_text="A person with a role needs an account and gets an invite. A person without a role only receives "
        "messages."
    )


class RolesForm(forms.Form):
    """The roles of a member. The last manager of a service must keep *Manage service*."""

    roles = RolesField()

    def __init__(self, *args: Any, member: TeamMember, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "initial": {"roles": member.roles}})
        self.member = member

    def clean_roles(self) -> list[str]:
        roles: list[str] = self.cleaned_data["roles"]
        if Role.MANAGE_SERVICE not in roles and self.member.is_last_manager():
            raise forms.ValidationError(SOMEONE_MUST_MANAGE)
        return roles
