"""What a URL for the one-click unsubscribe header may be. Source: docs/reference/sending-api.md §5."""

import re

MAX_UNSUBSCRIBE_URL_CHARACTERS = 2000

# RFC 3986, appendix A, with the scheme fixed: authority, path, query and fragment in ASCII, percent signs escaping.
_CHARACTER = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})"
_AUTHORITY = (
    r"(?:(?:[A-Za-z0-9\-._~!$&'()*+,;=:]|%[0-9A-Fa-f]{2})*@)?"
    r"(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})+)(?::[0-9]*)?"
)
_REST = rf"(?>(?:{_CHARACTER}|[/?])*)"
_HTTPS_URL = re.compile(rf"\Ahttps://{_AUTHORITY}(?>(?:/(?>{_CHARACTER}*))*)(?:\?{_REST})?(?:#{_REST})?\Z")


def is_unsubscribe_url(text: str) -> bool:
    """Return whether the text is an https URL by RFC 3986 that fits in a header.

    >>> is_unsubscribe_url("https://example.com/u?id=1"), is_unsubscribe_url("http://example.com/u")
    (True, False)
    """
    # The length is checked first: the pattern takes 15 s for 14 MiB.
    return len(text) <= MAX_UNSUBSCRIBE_URL_CHARACTERS and _HTTPS_URL.match(text) is not None
