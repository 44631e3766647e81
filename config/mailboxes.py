"""The key of a mailbox: the same for every spelling of its email address.

Source: docs/reference/rendering.md §8.
"""

import idna

from config.host_names import ascii_host

_A_LABEL = "xn--"


def key_of(email_address: str) -> str:
    """Return the key under which everything about a mailbox is stored and found.

    The local part is in lower case, the host as `ascii_host` returns it. A host that no mail can reach is only put in
    lower case.

    >>> key_of("Fern@Bücher.example"), key_of("fern@xn--bcher-kva.example")
    ('fern@xn--bcher-kva.example', 'fern@xn--bcher-kva.example')
    """
    local, at, host = email_address.rpartition("@")
    try:
        host = ascii_host(host)
    except UnicodeError:
        host = host.lower()
    return f"{local.lower()}{at}{host}"


def keys_of(recipient: str) -> list[str]:
    """Return the key of a mailbox, and the one of earlier releases if that is another one.

    They did not encode the host. Rows that store only a hash of the key cannot be changed, and processes of the
    previous release store its keys during an upgrade, so both are looked up.
    recipient: a key of either release, or a phone number

    >>> keys_of("fern@xn--bcher-kva.example"), keys_of("fern@example.org")
    (['fern@xn--bcher-kva.example', 'fern@bücher.example'], ['fern@example.org'])
    """
    if recipient.isascii() and _A_LABEL not in recipient:
        return [recipient]
    key = key_of(recipient)
    local, at, host = key.rpartition("@")
    try:
        former = f"{local}{at}{idna.decode(host)}"
    except UnicodeError:
        former = recipient
    return list(dict.fromkeys((key, former, recipient)))
