"""Emails that cost a naive reader minutes or gigabytes. Each is to HELP, so that what is read becomes a reply."""

from collections.abc import Callable

HELP = b"help@notify.example.org"
MB = 1_000_000
HEAD = b"From: ana@example.com\nTo: " + HELP + b"\nSubject: Tides\n"
TEXT = b"Content-Type: text/plain\n\nHigh water?\n"
MIXED = HEAD + b"Content-Type: multipart/mixed; boundary=x\n\n"


def mixed(*parts: bytes) -> bytes:
    return MIXED + b"".join(b"--x\n" + part + b"\n" for part in (TEXT, *parts)) + b"--x--\n"


def nested(levels: int, between: bytes = b"") -> bytes:
    heads = (b"Content-Type: multipart/mixed; boundary=b%d\n\n%b--b%d\n" % (n, between, n) for n in range(levels))
    return HEAD + b"".join(heads) + TEXT


def emails_in_emails(levels: int) -> bytes:
    return HEAD + b"Content-Type: message/rfc822\n\n" * levels + TEXT


def named(names: list[bytes]) -> bytes:
    return mixed(*(b"Content-Disposition: attachment; filename=%b\n\nx" % name for name in names))


WORDS = b"=?a?q?x" * 12_000

# What becomes an entry with the text "High water?"
READ: dict[str, Callable[[], bytes]] = {
    "subject of unfinished words": lambda: HEAD.replace(b"Tides", WORDS) + TEXT,
    "sender of unfinished words": lambda: HEAD.replace(b"ana@", WORDS + b" <ana@").replace(b".com", b".com>") + TEXT,
    "in-reply-to of unfinished words": lambda: HEAD + b"In-Reply-To: " + WORDS + b"\n" + TEXT,
    "900 file names of words": lambda: named([b'"' + b"=?utf-8?q?x?= " * 280 + b'"'] * 900),
    "words in punycode": lambda: HEAD.replace(b"Tides", b"=?punycode?q?" + b"a" * 500_000 + b"?=") + TEXT,
    "10,000 address groups": lambda: HEAD + b"Cc: " + b"g: a@b.c;, " * 10_000 + b"\n" + TEXT,
    "open brackets in an address": lambda: HEAD + b"Cc: " + b"(" * 4000 + b"\n" + TEXT,
    "references of 5 MB": lambda: HEAD + b"References: " + b"<a@b.example> " * 360_000 + b"\n" + TEXT,
    "folded header of 5 MB": lambda: HEAD + b"X-Long: a\n" + b" b\n" * (5 * MB // 3) + TEXT,
    "100,000 parameters": lambda: HEAD + TEXT.replace(b"plain", b"plain" + b"; a=b" * 100_000),
    "1 MB of semicolons": lambda: HEAD + TEXT.replace(b"plain", b"plain" + b";" * MB),
    "continuations": lambda: named([b'"a"' + b"".join(b"; filename*%d*=a" % n for n in range(70_000))]),
    "unfinished quotation marks": lambda: named([b'"' + b"\\" * MB]),
    "empty lines in a file": lambda: mixed(b"Content-Type: image/png\n\n" + b"\n" * (31 * MB)),
    "empty lines in 20 levels": lambda: nested(20, b"\n" * 1_500_000),
    "28 HTML parts": lambda: mixed(*[b"Content-Type: text/html\n\n" + b"<p>a" * (MB // 4)] * 28),
    "quoted-printable file": lambda: mixed(
        b"Content-Type: text/plain\nContent-Disposition: attachment\nContent-Transfer-Encoding: quoted-printable\n\n"
        + b"=41=\n" * (4 * MB)
    ),
    "file in uuencode": lambda: mixed(
        b"Content-Transfer-Encoding: x-uuencode\nContent-Type: image/png\n\nbegin 644 a\n" + b"M" * 20 * MB
    ),
    "only CR as line ends": lambda: (HEAD + TEXT + b"\n" * 100_000).replace(b"\n", b"\r"),
    "mixed line ends": lambda: mixed(b"X: a\r\r\n\n\r" * 100_000).replace(b"\n--x", b"\r\n--x"),
    "many lines that look like delimiters": lambda: mixed(b"Content-Type: image/png\n\n" + b"--y\n" * 500_000),
    "delimiters of 1 MB": lambda: mixed(b"Content-Type: image/png\n\n--" + b"x" * MB),
}

# What becomes an entry with another text, because the text itself is hostile.
OTHER_TEXT: dict[str, Callable[[], bytes]] = {
    "text in punycode": lambda: HEAD + b"Content-Type: text/plain; charset=punycode\n\n" + b"ab-" * (2 * MB // 3),
    "text in unicode_escape": lambda: HEAD + b"Content-Type: text/plain; charset=unicode_escape\n\n" + b"\\N{" * MB,
    "text in bz2": lambda: HEAD + b"Content-Type: text/plain; charset=bz2\n\n" + b"BZh9" * MB,
    "31 MB of empty lines": lambda: HEAD + b"\n" + b"\n" * (31 * MB),
    "20 MB of quoted-printable": lambda: (
        HEAD + b"Content-Transfer-Encoding: quoted-printable\n\n" + b"=E2=82=AC=\n" * (2 * MB)
    ),
    "30 MB of base64": lambda: HEAD + b"Content-Transfer-Encoding: base64\n\n" + b"QUFB\n" * (6 * MB),
    "HTML of open tags": lambda: HEAD + b"Content-Type: text/html\n\n" + b"<a href='" * (2 * MB),
    "HTML of 5,000 digits": lambda: HEAD + b"Content-Type: text/html\n\n&#" + b"9" * 5000 + b";",
    "HTML of comments": lambda: HEAD + b"Content-Type: text/html\n\n" + b"<!--" * (5 * MB),
    "headers without an end": lambda: HEAD + b"X: a" * (7 * MB),
}

# What is refused, with the reason.
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "150 levels": (lambda: nested(150, b"\n" * 1000), "The email has more than 20 levels of parts."),
    "5,000 levels": (lambda: nested(5000), "The email has more than 20 levels of parts."),
    "3,000 emails in emails": (lambda: emails_in_emails(3000), "The email has more than 20 levels of parts."),
    "2,000 files": (lambda: named([b"a"] * 2000), "The email has more than 1,000 parts."),
    "100,000 empty parts": (lambda: MIXED + b"--x\n" * 100_000, "The email has more than 1,000 parts."),
    "a million headers": (lambda: HEAD + b"a:\n" * MB + TEXT, "The email has more than 10,000 headers."),
    "33 MiB": (lambda: HEAD + TEXT + b"a" * 33 * 1024 * 1024, "The email has more than 32 MiB."),
}


def slow() -> bytes:
    """Return an email that needs about as much time as it may use."""
    return mixed(b"Content-Type: image/png\n\n" + b"--\n--y\n" * 4_500_000)
