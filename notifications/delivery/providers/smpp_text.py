"""The formats of texts and delivery receipts in SMPP: alphabets, parts, and the fields of a receipt.

Source: SMPP 3.4 §5.2.12 (esm_class), §5.2.19 (data_coding), Appendix B (receipts); 3GPP TS 23.038, TS 23.040 §9.2.3.24.
"""

import re
from dataclasses import dataclass

from notifications.delivery.messages import PartOf, Receipt, ReceiptOutcome

_TABLE = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_EXTENSION = {"\f": 10, "^": 20, "{": 40, "}": 41, "\\": 47, "[": 60, "~": 61, "]": 62, "|": 64, "€": 101}
_ESCAPE = 0x1B
_TO_GSM = {character: bytes([code]) for code, character in enumerate(_TABLE) if code != _ESCAPE} | {
    character: bytes([_ESCAPE, code]) for character, code in _EXTENSION.items()
}
_FROM_EXTENSION = {code: character for character, code in _EXTENSION.items()}

GSM, LATIN_1, UCS_2 = 0, 3, 8
_WHOLE = {GSM: 160, UCS_2: 140}  # septets, one an octet; octets
_PART = {GSM: 153, UCS_2: 134}

_JOINT, _WIDE_JOINT = 0x00, 0x08  # elements of a user data header with a reference of 8 or 16 bits

_RECEIPT_WORD = re.compile(r"\b(id|stat|err):(\S+)", re.IGNORECASE)

# The states of a message, as words in a receipt's text and as numbers in its TLV.
_STATES = {
    "DELIVRD": ReceiptOutcome.DELIVERED,
    "ACCEPTD": ReceiptOutcome.PENDING,
    "ENROUTE": ReceiptOutcome.PENDING,
    "EXPIRED": ReceiptOutcome.TEMPORARY_FAILURE,
    "UNDELIV": ReceiptOutcome.PERMANENT_FAILURE,
    "REJECTD": ReceiptOutcome.PERMANENT_FAILURE,
    "DELETED": ReceiptOutcome.PERMANENT_FAILURE,
}
_STATE_NUMBERS = {
    1: "ENROUTE", 2: "DELIVRD", 3: "EXPIRED", 4: "DELETED", 5: "UNDELIV", 6: "ACCEPTD", 7: "UNKNOWN", 8: "REJECTD",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """An encoded text. parts: one, or the parts of a long text, each with a user data header."""

    data_coding: int
    parts: list[bytes]

    @property
    def is_long(self) -> bool:
        return len(self.parts) > 1


def encode(text: str, *, joint: int) -> Encoded:
    """Choose the alphabet and split the text. joint: the number, 0 to 255, that all parts share.

    >>> encode("5 €", joint=7)
    Encoded(data_coding=0, parts=[b'5 \\x1be'])
    """
    coding, units = _units(text)
    if sum(map(len, units)) <= _WHOLE[coding]:
        return Encoded(data_coding=coding, parts=[b"".join(units)])
    cut = [b""]
    for unit in units:
        if len(cut[-1]) + len(unit) > _PART[coding]:
            cut.append(b"")
        cut[-1] += unit
    headed = [bytes([5, 0, 3, joint, len(cut), number]) + part for number, part in enumerate(cut, 1)]
    return Encoded(data_coding=coding, parts=headed)


def encode_whole(text: str) -> Encoded:
    """Choose the alphabet and leave the splitting to the message centre."""
    coding, units = _units(text)
    return Encoded(data_coding=coding, parts=[b"".join(units)])


def decode(data: bytes, data_coding: int) -> str:
    """Decode a text in any of the usual alphabets. Unknown characters become `?`.

    >>> decode(b"5 \\x1be", 0), decode("ŵ".encode("utf-16-be"), 8)
    ('5 €', 'ŵ')
    """
    if data_coding == UCS_2:
        return data.decode("utf-16-be", errors="replace")
    if data_coding in (1, LATIN_1):
        return data.decode("latin-1")
    escaped, characters = False, []
    for code in data:
        if code == _ESCAPE and not escaped:
            escaped = True
            continue
        plain = _TABLE[code] if code < len(_TABLE) else "?"
        characters.append(_FROM_EXTENSION.get(code, plain) if escaped else plain)
        escaped = False
    return "".join(characters)


def split_header(data: bytes) -> tuple[PartOf | None, bytes]:
    """Split a text into its part number, if it is part of a longer text, and its content.

    >>> split_header(bytes([5, 0, 3, 7, 2, 1]) + b"Dear")
    (PartOf(joint=7, total=2, number=1), b'Dear')
    """
    header, rest = data[1 : data[0] + 1] if data else b"", data[data[0] + 1 :] if data else b""
    found = None
    while len(header) >= 2:
        kind, element = header[0], header[2 : 2 + header[1]]
        header = header[2 + header[1] :]
        if kind == _JOINT and len(element) == 3:
            found = part(element[0], element[1], element[2])
        elif kind == _WIDE_JOINT and len(element) == 4:
            found = part(int.from_bytes(element[:2], "big"), element[2], element[3])
    return found, rest


def part(joint: int, total: int, number: int) -> PartOf | None:
    """Return the part number, or None if the numbers are invalid or there is only one part."""
    return PartOf(joint=joint, total=total, number=number) if total > 1 and 1 <= number <= total else None


def receipt(text: str, *, reference: str = "", state: int | None = None) -> Receipt | None:
    """Read a delivery receipt from its text. Two optional TLVs take precedence. Return None without a message id.

    >>> receipt("id:7 sub:001 dlvrd:000 done date:2611211000 stat:UNDELIV err:011 text:")
    Receipt(outcome=<ReceiptOutcome.PERMANENT_FAILURE: 'permanent-failure'>, reference='7', notification_id=None, \
code='UNDELIV 011', at=None)
    """
    words = {name.lower(): value for name, value in _RECEIPT_WORD.findall(text.partition("text:")[0])}
    reference = reference or words.get("id", "")
    if not reference:
        return None
    word = _STATE_NUMBERS.get(state, "") if state else words.get("stat", "").upper()
    error = words.get("err", "")
    return Receipt(
        outcome=_STATES.get(word, ReceiptOutcome.TECHNICAL_FAILURE),
        reference=reference[:255],
        code=f"{word or state or ''} {error}".strip()[:100],
    )


def _units(text: str) -> tuple[int, list[bytes]]:
    """Return the alphabet and the encoded characters, which a split must keep whole."""
    if all(character in _TO_GSM for character in text):
        return GSM, [_TO_GSM[character] for character in text]
    return UCS_2, [character.encode("utf-16-be") for character in text]
