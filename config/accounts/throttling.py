"""How wrong passwords are counted: by account and network, with no typed name kept. Source: Security §5."""

from typing import Any

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

_SALT = "sign-in"


def account_tag(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """Return what stands for an account in the counters.

    People type a password into the field of the name, so what was typed is kept nowhere; and a name of any length,
    in capitals or not, is one tag.
    """
    name = (credentials or {}).get("username") or request.POST.get("username", "")
    return salted_hmac(_SALT, name.strip().casefold(), algorithm="sha256").hexdigest()
