"""The email address or phone number of the person who uses the console."""

from django.http import HttpRequest

from notifications.models import Channel, Service, TeamMember


def find(request: HttpRequest, service: Service, channel: Channel) -> str:
    """Return it as the team of the service has it, else the email address of the account, else ""."""
    member = TeamMember.objects.filter(service=service, user_id=request.user.pk or 0).first()
    if channel is Channel.SMS:
        return member.phone_number if member else ""
    return member.email_address if member else getattr(request.user, "email", "")
