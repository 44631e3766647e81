"""The key under which wrong passwords are counted. It contains no name that a person typed.

Source: docs/reference/security.md §5.
"""

from typing import Any

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from config.accounts import lookup

_SALT = "sign-in"


def account_tag(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """Return a keyed hash for the account, the same for its user name and its email address.

    The typed name is not stored, because people type passwords into that field by mistake. A name that no account has
    gives the same hash in any case.
    """
    typed = (credentials or {}).get("username") or request.POST.get("username", "")
    user = lookup.find(typed)
    name = lookup.plain(typed).casefold() if user is None else f"\0{user.pk}"  # a NUL, which nobody can type
    return salted_hmac(_SALT, name, algorithm="sha256").hexdigest()
