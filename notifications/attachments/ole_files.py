"""Search the directory of a file in the old Office format. Source: [MS-CFB] §2."""

import struct
from collections.abc import Iterator

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_HEADER_BYTES = 512
_SECTOR_SHIFTS = (9, 12)  # sectors of 512 or 4096 bytes
_LAST_SECTOR = 0xFFFFFFFA  # higher values mean "end of chain", "free" and so on
_ENTRY_BYTES = 128
_FAT_PLACES = 109  # in the header; files with more exceed the size limit


def has_entry(data: bytes, name: str) -> bool:
    """Return whether the directory contains this stream. A broken file contains none."""
    encoded = name.encode("utf-16-le") + b"\0\0"
    return any(
        entry.startswith(encoded) and entry[64:66] == len(encoded).to_bytes(2, "little") for entry in _entries(data)
    )


def _entries(data: bytes) -> Iterator[bytes]:
    for sector in _directory(data):
        for start in range(0, len(sector) - _ENTRY_BYTES + 1, _ENTRY_BYTES):
            yield sector[start : start + _ENTRY_BYTES]


def _directory(data: bytes) -> Iterator[bytes]:
    """Walk the chain of the directory's sectors, each at most once."""
    if len(data) < _HEADER_BYTES:
        return
    (shift,) = struct.unpack_from("<H", data, 30)
    if shift not in _SECTOR_SHIFTS:
        return
    (number,) = struct.unpack_from("<I", data, 48)
    table = struct.unpack_from(f"<{_FAT_PLACES}I", data, 76)
    seen: set[int] = set()
    while number <= _LAST_SECTOR and number not in seen:
        seen.add(number)
        sector = _sector(data, number, shift)
        if not sector:
            return
        yield sector
        number = _next(data, number, shift, table)


def _next(data: bytes, number: int, shift: int, table: tuple[int, ...]) -> int:
    """Return the number of the next sector in the allocation table."""
    per_sector = (1 << shift) // 4
    place, offset = divmod(number, per_sector)
    sector = _sector(data, table[place], shift) if place < _FAT_PLACES else b""
    if len(sector) < 4 * (offset + 1):
        return _LAST_SECTOR + 1
    following: int = struct.unpack_from("<I", sector, 4 * offset)[0]
    return following


def _sector(data: bytes, number: int, shift: int) -> bytes:
    start = (number + 1) << shift
    return data[start : start + (1 << shift)]
