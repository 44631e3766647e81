"""The header `Authorization: Bearer <token>`. Source: RFC 6750 §2.1, RFC 9110 §11.4."""

import re

_CREDENTIALS = re.compile(r"bearer +(?P<token>[!-~]+)", re.IGNORECASE)


def parse_bearer_token(header: str) -> str | None:
    """Return the token, or None where there is no usable one: another scheme, no token, more than one word.

    The scheme is compared without regard to case and one or more spaces may follow it; any visible ASCII is taken for a
    token, since whether it was ever issued is for its area to find out.

    >>> parse_bearer_token("Bearer abc"), parse_bearer_token("bEARER   abc ")
    ('abc', 'abc')
    >>> [parse_bearer_token(header) for header in ("", "Bearer", "BearerX abc", "Basic abc", "Bearer a b")]
    [None, None, None, None, None]
    """
    credentials = _CREDENTIALS.fullmatch(header.strip(" "))
    return credentials["token"] if credentials else None
