"""An authenticator app for tests, and helpers to sign in."""

import re
import time

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django_otp.oath import TOTP
from time_machine import travel

from config.accounts import second_factor

PASSWORD = "a-long-password-1"
SIGN_IN = "/admin/login/"
CODE = "/admin/login/code/"


def code_of(key: bytes, *, steps: int = 0) -> str:
    """Return the six digits that the app shows now, or some steps of 30 seconds later."""
    app = TOTP(key)
    app.time = time.time() + steps * 30
    return f"{app.token():06}"


def wrong_code_of(key: bytes) -> str:
    """Return six digits that the app shows neither now nor within two steps."""
    shown = {code_of(key, steps=steps) for steps in range(-2, 3)}
    return next(code for number in range(6) if (code := f"{number:06}") not in shown)


def enrolled(user: User) -> bytes:
    """Give an account a second factor and return the key of its app.

    It was confirmed a minute ago, so the current code is unused and valid for one more step.
    """
    device = second_factor.begin(user)
    with travel(time.time() - 60, tick=False):
        assert second_factor.confirm(user, code_of(device.key)) is not None
    return device.key


def password(client: Client, name: str = "mina", typed: str = PASSWORD, **extra: str) -> HttpResponse:
    return client.post(SIGN_IN, {"username": name, "password": typed}, **extra)


def is_in(client: Client) -> bool:
    """Return whether the console opens for this browser."""
    return client.get("/admin/account/").status_code == 200


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]+)"', page)
    assert found is not None, name
    return found[1]


def text_of(answer: HttpResponse) -> str:
    return " ".join(answer.content.decode().split())
