"""Decode text in a character set that the sender names, and the encoded words of headers.

The sender names the decoder, so there is a list of allowed ones: Python has codecs that take time in the square of the
length (punycode, idna) or make a small text large (bz2, zip). Source: RFC 2047; docs/reference/inbox.md §6.
"""

import binascii
import codecs
import re
from itertools import groupby

_ALLOWED = frozenset(
    {
        *("ascii", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"),
        *(f"iso8859-{number}" for number in range(1, 17)),
        *(f"cp125{number}" for number in range(9)),
        *("cp437", "cp850", "cp852", "cp866", "cp874", "cp932", "cp949", "cp950", "mac-roman", "tis-620"),
        *("koi8-r", "koi8-u", "gb2312", "gbk", "gb18030", "big5", "big5hkscs"),
        *("shift_jis", "euc_jp", "iso2022_jp", "euc_kr", "iso2022_kr"),
    }
)
_LONGEST_NAME = 40
_WORD = re.compile(r"=\?([^?\s*]{1,40})(?:\*[^?\s]{0,20})?\?([bBqQ])\?([^?]*+)\?=")
_ANY = "=?"


def decode(data: bytes, charset: str) -> str:
    """Return text. A character set that is unknown or not allowed is read as UTF-8.

    >>> decode(b"\\xe9", "latin1"), decode(b"a-bc", "punycode")
    ('é', 'a-bc')
    """
    return clean(data.decode(_codec(charset) or "utf-8", "replace"))


def decode_words(text: str) -> str:
    r"""Return a header with its encoded words decoded. A word in a character set that is not allowed stays as it is.

    >>> decode_words("=?utf-8?q?High_w=C3=A4?= \n =?utf-8?q?ter?= at =?idna?q?noon?="), decode_words("=?a?q?x" * 2)
    ('High wäter at =?idna?q?noon?=', '=?a?q?x=?a?q?x')
    """
    if _ANY not in text:
        return clean(text)
    parts: list[tuple[str, bytes]] = []  # the codec, "" for text that is not encoded
    end = 0
    for word in _WORD.finditer(text):
        codec = _codec(word[1])
        if codec is None:
            continue
        between = text[end : word.start()]
        if between.strip() or not end:  # spaces between two words have no meaning
            parts.append(("", between.encode("utf-8", "replace")))
        parts.append((codec, _bytes(word[2], word[3])))
        end = word.end()
    parts.append(("", text[end:].encode("utf-8", "replace")))
    # Some programs split a character between two words, so words of one character set are decoded together.
    joined = ((codec, b"".join(data for _, data in group)) for codec, group in groupby(parts, key=lambda one: one[0]))
    return clean("".join(data.decode(codec or "utf-8", "replace") for codec, data in joined))


def clean(text: str) -> str:
    """Return the text as UTF-8 can store it, without NUL, which PostgreSQL refuses."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _codec(charset: str) -> str | None:
    if len(charset) > _LONGEST_NAME:
        return None
    try:
        name = codecs.lookup(charset.strip().replace("_", "-")).name
    except (LookupError, ValueError):
        return None
    return name if name in _ALLOWED else None


def _bytes(kind: str, text: str) -> bytes:
    data = text.encode("ascii", "replace")
    if kind in "qQ":
        return binascii.a2b_qp(data, header=True)
    try:
        return binascii.a2b_base64(data + b"===")
    except binascii.Error:
        return data
