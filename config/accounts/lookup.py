"""Find an account by an email address or a user name.

Source: docs/reference/security.md §5.
"""

from django.contrib.auth.models import User
from django.db.models import Q

from config import mailboxes

MAX_CHARACTERS = 254  # of an email address; a user name has at most 150


def find(typed: str) -> User | None:
    """Return the account with this user name or email address. Case and surrounding spaces do not matter.

    Use it only if something else proves the identity, such as a password or a link mailed to the account's own email
    address: a name in another width or with a ligature finds the account, too. Otherwise use `named`.
    The exact user name is preferred, then the email address, then the user name in another case. Two accounts with
    the same email address are found by user name only. Forms reject such an email address, but older rows may have it.
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


def named(typed: str) -> User | None:
    """Return the account with this user name or email address, if the text names it without a normalisation."""
    return find(typed) if plain(typed) == typed.strip() else None


def with_mailbox(email_address: str) -> list[User]:
    """Return the accounts whose email address is another spelling of this mailbox. Only case and host may differ."""
    key = mailboxes.key_of(email_address)
    local, at, _ = key.rpartition("@")
    if not local:
        return []
    # The database narrows the rows down. Its comparison of letters beyond ASCII depends on its kind and locale.
    alike = User.objects.filter(email__istartswith=f"{local}{at}").order_by("pk")
    return [user for user in alike if mailboxes.key_of(user.email) == key]


def is_taken(name: str, *, but: int = 0) -> bool:
    """Return whether an account other than `but` has this user name or email address, in any spelling."""
    name = plain(name)
    others = User.objects.filter(Q(username__iexact=name) | Q(email__iexact=name)).exclude(pk=but)
    return others.exists() or any(user.pk != but for user in with_mailbox(name))


def plain(typed: str) -> str:
    """Return a name without surrounding spaces and in Unicode NFKC, as Django stores user names.

    Text that is too long for a name is not normalized, because NFKC takes quadratic time for many combining accents.
    """
    name = typed.strip()
    return User.normalize_username(name) if len(name) <= MAX_CHARACTERS else name
