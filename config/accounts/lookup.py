"""Find the account that a person means by what they type: an email address or a user name.

Source: Security and reliability §5.
"""

from django.contrib.auth.models import User
from django.db.models import Q

MAX_CHARACTERS = 254  # of an email address; a user name has at most 150


def find(typed: str) -> User | None:
    """Return the account with this user name or email address; capitals, and blanks around it, do not matter.

    The exact user name comes first, then the email address, then the user name in other capitals. Two accounts that
    share an address are found by their user names only: forms refuse such an address, older rows may have it.
    """
    name = plain(typed)
    if not name or len(name) > MAX_CHARACTERS or "\0" in name:
        return None
    matches = list(User.objects.filter(Q(username__iexact=name) | Q(email__iexact=name)).order_by("pk"))
    by_email = [user for user in matches if user.email.casefold() == name.casefold()]
    by_name = [user for user in matches if user.username.casefold() == name.casefold()]
    for user in matches:
        if user.username == name:
            return user
    for found in (by_email, by_name):
        if len(found) == 1:
            return found[0]
    return None


def is_taken(name: str, *, but: int = 0) -> bool:
    """Return whether another account than `but` is found by this user name or email address, in any capitals."""
    name = plain(name)
    return User.objects.filter(Q(username__iexact=name) | Q(email__iexact=name)).exclude(pk=but).exists()


def plain(typed: str) -> str:
    """Return a name as it is compared: without blanks around it, in Unicode's NFKC as Django stores user names.

    What is too long for a name stays as it is: NFKC takes quadratic time for a long row of accents.
    """
    name = typed.strip()
    return User.normalize_username(name) if len(name) <= MAX_CHARACTERS else name
