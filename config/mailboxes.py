"""The key of a mailbox: the same for every spelling of its email address.

Source: docs/reference/rendering.md §8.
"""

import idna


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


def ascii_host(host: str) -> str:
    """Return a host name as the DNS has it: in lower case, each other label as an A-label. Raises UnicodeError.

    The mapping is UTS 46, non-transitional. Python's codec "idna" is IDNA 2003, which replaces ß, ς and two joiners by
    other letters and so leads to a host of another owner.

    >>> ascii_host("Straße.example"), ascii_host("ｂücher。example")
    ('xn--strae-oqa.example', 'xn--bcher-kva.example')
    """
    if host.isascii():
        return host.lower()
    labels = idna.uts46_remap(host, std3_rules=True).split(".")
    return ".".join(label if label.isascii() else idna.alabel(label).decode("ascii") for label in labels)
