"""Show a message in the console and the sandbox inbox, from the same functions that render it for sending.

Source: docs/reference/console.md §1.2 T9, §2.4.
"""

import re
import unicodedata
from html import escape

from django.utils.safestring import SafeString, mark_safe

from notifications.rendering.sms import SIXTEEN_BIT, SmsText

# A frame inherits the policy of its page. This policy forbids everything except inline styles and images (trap T9).
_POLICY = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">"
)
_HEAD = "<head>"
_NOT_TEXT = r"<(?:title|style)>[^<]*+</|<[^>]*+>"
_UNFILLED = re.compile(rf"(?P<skipped>{_NOT_TEXT})|(?P<placeholder>\(\([^()<>]++\)\))")
_OWN_TAB = 'target="_blank" rel="noopener noreferrer"'
_FRAME_LINKS = '<meta name="referrer" content="no-referrer"><base target="_blank">'
_URL = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,:;!?)\]]")


def sandboxed(document: str, *, opens_links: bool = False) -> str:
    """Return an HTML document for `<iframe sandbox srcdoc>` with its own content security policy as the first element.

    opens_links: links open in a new tab; the frame needs `allow-popups allow-popups-to-escape-sandbox`
    """
    before, head, after = document.partition(_HEAD)
    first = f"{_POLICY}{_FRAME_LINKS}" if opens_links else _POLICY
    return f"{before}{head}{first}{after}" if head else f"{first}{document}"


def linked(text: str) -> SafeString:
    """Return plain text as escaped HTML in which URLs are links that open in a new tab.

    >>> linked("<See> https://quay.example/a?b=1&c.")
    '&lt;See&gt; <a href="https://quay.example/a?b=1&amp;c" target="_blank" rel="noopener noreferrer">\
https://quay.example/a?b=1&amp;c</a>.'
    """
    parts, end = [], 0
    for match in _URL.finditer(text):
        url = escape(match[0])
        parts += [escape(text[end : match.start()]), f'<a href="{url}" {_OWN_TAB}>{url}</a>']
        end = match.end()
    return mark_safe("".join([*parts, escape(text[end:])]))  # noqa: S308  all of it is escaped above


def in_own_tab(bubble: str) -> str:
    """Make the links in the preview of a text message open in a new tab."""
    return bubble.replace("<a href=", f"<a {_OWN_TAB} href=")


def marked(written: str) -> str:
    """Mark unfilled placeholders in rendered HTML, so that staff do not mistake them for text.

    The writers escape every `<` and `>` in texts and attributes, so a tag ends at the first `>`.

    >>> marked('<p title="((a))">Dear ((name))</p>')
    '<p title="((a))">Dear <mark>((name))</mark></p>'
    """
    return _UNFILLED.sub(lambda found: found["skipped"] or f"<mark>{found['placeholder']}</mark>", written)


def facts(text: SmsText) -> str:
    """Return the parts, alphabet and length of a text message as one line.

    >>> facts(SmsText("a" * 161))
    '2 parts · standard alphabet · 161 of 306 characters'
    """
    encoding = text.encoding
    parts = text.fragments
    room = encoding.alone if parts == 1 else encoding.joined * parts
    alphabet = "large alphabet" if encoding is SIXTEEN_BIT else "standard alphabet"
    return f"{parts} {'part' if parts == 1 else 'parts'} · {alphabet} · {text.units} of {room} characters"


def unvalued(text: SmsText) -> str:
    """Return the length of a text message before its values are known, with and without the prefix.

    >>> unvalued(SmsText("Depot: hello", prefix_chars=7))
    'Without values: 1 part · 12 characters, 5 of them the message'
    >>> unvalued(SmsText("x"))
    'Without values: 1 part · 1 character'
    """
    parts = f"{text.fragments} {'part' if text.fragments == 1 else 'parts'}"
    message = f", {text.chars_without_prefix} of them the message" if text.prefix_chars else ""
    characters = f"{text.chars} {'character' if text.chars == 1 else 'characters'}"
    return f"Without values: {parts} · {characters}{message}"


def costly(text: SmsText) -> str:
    """Return which characters cost extra and what to use instead, or an empty string if there are none."""
    if text.non_gsm:
        letters = text.non_gsm
        instead = " and ".join(f"{unicodedata.normalize('NFD', letter)[0]} instead of {letter}" for letter in letters)
        return (
            f"{', '.join(letters)}: only the large alphabet has this, and a part then holds 70 characters instead of "
            f"160. Use {instead}."
        )
    if text.extended:
        return f"{text.extended} of ^ {{ }} \\ [ ~ ] | € count twice."
    return ""
