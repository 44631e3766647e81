"""Remove the second factor of an account, for example of the only operator."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from config import audit
from config.accounts import second_factor, sessions


class Command(BaseCommand):
    help = (
        "Remove the authenticator app, the passkeys and the recovery codes of an account, and end its sessions. "
        "Example: manage.py reset_second_factor mina. "
        "Exit codes: 0 on success, 1 if there is no account or no second factor."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="user name of the account")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no account {name}.")
        with transaction.atomic():
            if not second_factor.reset(user):
                raise CommandError(f"{name} has no second factor.")
            sessions.end_all(user.pk)
            after: dict[str, object] = {"username": name}
            audit.record(audit.COMMAND, "reset_second_factor", object_kind="user", object_id=user.pk, after=after)
        self.stdout.write(f"{name} has no second factor now.")
