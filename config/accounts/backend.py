"""Check the password of an account that is named by its email address or its user name."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.http import HttpRequest

from config.accounts import lookup


class AccountBackend(ModelBackend):
    """Django's backend, with our way to find the account. An unknown name costs the hashing of a known one."""

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
