"""How wrong passwords are counted: by account and network, with no typed name kept. Source: Security §5."""

from typing import Any

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from config.accounts import lookup

_SALT = "sign-in"


def account_tag(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """Return what stands for an account in the counters, however it is named: its email address is no second account.

    People type a password into the field of the name, so what was typed is kept nowhere; and a name that no account
    has is one tag in any capitals.
    """
    typed = (credentials or {}).get("username") or request.POST.get("username", "")
    user = lookup.find(typed)
    name = lookup.plain(typed).casefold() if user is None else f"\0{user.pk}"  # a NUL: nobody can type this tag
    return salted_hmac(_SALT, name, algorithm="sha256").hexdigest()
