"""How the console and the sandbox inbox show a message: from the very functions that send.

Source: Staff console §1.2 T9, §2.4.
"""

from notifications.rendering.sms import SIXTEEN_BIT, SmsText

# A frame without scripts inherits the page's policy; this one forbids it everything but its own styles (trap T9).
_POLICY = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">"
)
_HEAD = "<head>"


def sandboxed(document: str) -> str:
    """Return an HTML document for `<iframe sandbox srcdoc>`, with a policy of its own before everything else in it."""
    before, head, after = document.partition(_HEAD)
    return f"{before}{head}{_POLICY}{after}" if head else f"{_POLICY}{document}"


def facts(text: SmsText) -> str:
    """Say what a text message costs.

    >>> facts(SmsText("a" * 161))
    '2 parts · standard alphabet · 161 of 306 characters'
    """
    encoding = text.encoding
    parts = text.fragments
    room = encoding.alone if parts == 1 else encoding.joined * parts
    alphabet = "large alphabet" if encoding is SIXTEEN_BIT else "standard alphabet"
    return f"{parts} {'part' if parts == 1 else 'parts'} · {alphabet} · {text.units} of {room} characters"


def costly(text: SmsText) -> str:
    """Name what makes a text message longer than it looks, or return nothing."""
    if text.non_gsm:
        letters = ", ".join(text.non_gsm)
        return f"{letters}: only the large alphabet has this, and a part then holds 70 characters instead of 160."
    if text.extended:
        return f"{text.extended} of ^ {{ }} \\ [ ~ ] | € count twice."
    return ""
