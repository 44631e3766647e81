"""The authentication backend: sign in with an email address or a user name."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.http import HttpRequest

from config.accounts import lookup


class AccountBackend(ModelBackend):
    """Find the account with `lookup`. An unknown name takes the same time as a known one, because both hash once."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> User | None:
        if username is None or password is None:
            return None
        user = lookup.find(username)
        if user is None:
            User().set_password(password)
            return None
        return user if user.check_password(password) and self.user_can_authenticate(user) else None
