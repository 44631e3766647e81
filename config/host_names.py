"""Host names as the DNS has them. Source: docs/reference/rendering.md §8."""

import idna


def ascii_host(host: str) -> str:
    """Return a host name in lower case, with each label that is not ASCII as an A-label. Raises UnicodeError.

    The mapping is UTS 46, non-transitional, as in browsers. Python's codec "idna" is IDNA 2003, which replaces ß, ς and
    two joiners by other letters and so leads to a host of another owner.

    >>> ascii_host("Straße.example"), ascii_host("ｂücher。example")
    ('xn--strae-oqa.example', 'xn--bcher-kva.example')
    """
    if host.isascii():
        return host.lower()
    labels = idna.uts46_remap(host, std3_rules=True).split(".")
    return ".".join(label if label.isascii() else idna.alabel(label).decode("ascii") for label in labels)
