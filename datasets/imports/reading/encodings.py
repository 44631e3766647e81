"""Find the encoding of a text file. Source: docs/reference/imports.md §3, §4."""

import codecs

import webencodings

from datasets.imports.reading.cells import UnreadableFile

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
_UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)  # no encoding of WHATWG; the first begins as that of UTF-16
_BLOCK_BYTES = 1024 * 1024
CANDIDATES = (
    *("windows-1252", "windows-1250", "iso-8859-15", "iso-8859-2", "windows-1251", "windows-1253", "windows-1254"),
    *("windows-1257", "macintosh", "ibm866", "koi8-r", "shift_jis", "gb18030", "big5", "euc-kr"),
)
_WIDE = ("utf-16le", "utf-16be")
_SAMPLE_CHARACTERS = 30


def codec_of(name: str) -> str:
    """Return Python's name of an encoding."""
    found = webencodings.lookup(name)
    if found is None:
        raise UnreadableFile(f"The encoding {name} is unknown.")
    return str(found.codec_info.name)


def recognised(path: str) -> str | None:
    """Return the encoding if a byte order mark shows it or the file is UTF-8, else None. Raises UnreadableFile."""
    with open(path, "rb") as file:
        first = file.read(4)
        if first in _UTF_32:
            raise UnreadableFile("The file is UTF-32 text. Save it as UTF-8.")
        for mark, name in _MARKS:
            if first.startswith(mark):
                return name
        file.seek(0)
        decoder, zeros_before_end, zeros = codecs.getincrementaldecoder("utf-8")(), False, False
        try:
            while block := file.read(_BLOCK_BYTES):
                decoder.decode(block)
                if b"\0" in block or zeros:
                    kept = block.rstrip(b"\0\x1a\r\n")
                    zeros_before_end |= b"\0" in kept or (zeros and bool(kept))
                    zeros = True
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return None
        return None if zeros_before_end else "utf-8"


def possible(path: str) -> list[tuple[str, str]]:
    """Return the encodings that fit the whole file, each with a sample of the first text that is not ASCII.

    Raises UnreadableFile if none does.
    """
    found: list[tuple[str, str]] = []
    with open(path, "rb") as file:
        names = (*_WIDE, "utf-8") if b"\0" in file.read(_BLOCK_BYTES) else CANDIDATES
    for name in names:
        sample = _sample(path, name)
        if sample is not None and all(sample != other for _, other in found):
            found.append((name, sample))
    if not found:
        raise UnreadableFile("This is no table of text. Save it as CSV, .xlsx, .ods, NDJSON, JSON or Parquet.")
    return found[:8]


def _sample(path: str, name: str) -> str | None:
    """Return the words around the first character that is not ASCII, or None if the file is not in this encoding."""
    decoder, sample, last = codecs.getincrementaldecoder(codec_of(name))(), "", ""
    with open(path, "rb") as file:
        try:
            while block := file.read(_BLOCK_BYTES):
                text = decoder.decode(block)
                if any("\x80" <= one <= "\x9f" for one in text):  # control characters: another encoding
                    return None
                if not sample and not text.isascii():
                    place = next(index for index, one in enumerate(text) if not one.isascii())
                    begin = max(place - _SAMPLE_CHARACTERS // 2, 0)
                    sample = " ".join(text[begin : place + _SAMPLE_CHARACTERS].split())
                last = last or text[:_SAMPLE_CHARACTERS]
            decoder.decode(b"", final=True)
        except (UnicodeDecodeError, UnicodeError):
            return None
    return sample or " ".join(last.split())
