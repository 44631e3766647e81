"""Small files of every type, and harmful ones: disguised, broken or malicious."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from itertools import pairwise

from notifications.attachments.types import FileType

EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-" + rb"STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"  # in two pieces
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
_RELATIONS = "application/vnd.openxmlformats-package.relationships+xml"


def archive(parts: Mapping[str, bytes | str], *, stored: frozenset[str] = frozenset()) -> bytes:
    """Return a zip archive of these parts, compressed except for the `stored` ones."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as writer:
        for name, content in parts.items():
            writer.writestr(name, content, zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED)
    return target.getvalue()


def listed(content_type: str, main_part: str, *further: tuple[str, str]) -> str:
    """Return the content types of the main part and of further ones by type and name."""
    parts = ((content_type, main_part), *further)
    return (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Default Extension="rels" ContentType="{_RELATIONS}"/>'
        + "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for kind, name in parts)
        + "</Types>"
    )


def relations(kind: str, target: str) -> str:
    """Return the relationships of a part with one of this kind."""
    base = "http://schemas.openxmlformats.org/package/2006/relationships"
    return (
        f'<Relationships xmlns="{base}"><Relationship Id="rId1" '
        f'Type="http://schemas.microsoft.com/office/2006/relationships/{kind}" Target="{target}"/></Relationships>'
    )


def office(content_type: str, main_part: str, further: Mapping[str, bytes | str] | None = None) -> bytes:
    types = f'<?xml version="1.0"?>{listed(content_type, main_part)}'
    return archive({"[Content_Types].xml": types, main_part: "<main/>", **(further or {})})


def docx_of(types: bytes | str) -> bytes:
    """Return a .docx with these content types."""
    return archive({"[Content_Types].xml": types, "word/document.xml": "<main/>"})


def docx(further: Mapping[str, bytes | str] | None = None) -> bytes:
    return office(WORD, "word/document.xml", further)


def xlsx() -> bytes:
    return office(SHEET, "xl/workbook.xml")


def odt(kind: str = FileType.ODT) -> bytes:
    return archive({"mimetype": kind, "content.xml": "<office/>"}, stored=frozenset({"mimetype"}))


def ole(stream: str, *, directory_at: int = 1, chain: tuple[int, ...] = ()) -> bytes:
    """Return an old Office file: header, allocation table in sector 0, directory in a chain of sectors."""
    sectors = max(directory_at, *chain, 1) + 1
    table = [0xFFFFFFFF] * 128
    table[0] = 0xFFFFFFFD
    path = (directory_at, *chain)
    for here, there in pairwise(path):
        table[here] = there
    if path[-1] not in path[:-1]:
        table[path[-1]] = 0xFFFFFFFE
    header = bytearray(512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    struct.pack_into("<HHHH", header, 24, 0x3E, 3, 0xFFFE, 9)
    struct.pack_into("<I", header, 48, directory_at)
    struct.pack_into("<109I", header, 76, 0, *[0xFFFFFFFF] * 108)
    body = bytearray(512 * sectors)
    struct.pack_into("<128I", body, 0, *table)
    for place, name in ((0, "Root Entry"), (1, stream)):
        encoded = name.encode("utf-16-le") + b"\0\0"
        last = 512 * path[-1] if path[-1] < sectors else 512
        body[last + place * 128 : last + place * 128 + len(encoded)] = encoded
        struct.pack_into("<H", body, last + place * 128 + 64, len(encoded))
    return bytes(header + body)


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0\xff\xff\xff")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9"
RTF = rb"{\rtf1\ansi Hello}"
CSV = b"name,amount\nAmala,12\nBen,7\n"
TEXT = b"Dear reader,\nthis is only text.\n"
JSON = json.dumps({"name": "Amala", "amounts": [1, 2]}).encode()

GOOD: Mapping[str, bytes] = {  # by extension
    "pdf": PDF,
    "png": png(),
    "jpg": JPEG,
    "jpeg": JPEG,
    "rtf": RTF,
    "doc": ole("WordDocument"),
    "docx": docx(),
    "xlsx": xlsx(),
    "odt": odt(),
    "csv": CSV,
    "txt": TEXT,
    "json": JSON,
}


def _encrypted() -> bytes:
    data = bytearray(docx())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(signature, at + 4)
    return bytes(data)


def _with_symlink() -> bytes:
    target = io.BytesIO(docx())
    with zipfile.ZipFile(target, "a") as writer:
        link = zipfile.ZipInfo("word/link.xml")
        link.external_attr = 0o120777 << 16
        writer.writestr(link, "/etc/passwd")
    return target.getvalue()


def _overlapping() -> bytes:
    """Return an archive with many entries of one compressed part: a small file that unpacks to a large one."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as writer:
        writer.writestr("word/document.xml", b"\0" * 900_000)
        first = writer.infolist()[0]
        for number in range(90):
            copy = zipfile.ZipInfo(f"copy{number}.xml")
            copy.compress_type, copy.compress_size = first.compress_type, first.compress_size
            copy.file_size, copy.CRC, copy.header_offset = first.file_size, first.CRC, 0
            writer.filelist.append(copy)
            writer.NameToInfo[copy.filename] = copy
        writer._didModify = True  # type: ignore[attr-defined]
    return target.getvalue()


def _lying_sizes() -> bytes:
    """Return content types whose declared size is smaller than the real one."""
    data = bytearray(office(WORD + " " * 3_000_000, "word/document.xml"))
    at = data.find(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 10)
    return bytes(data)


def _twice() -> bytes:
    target = io.BytesIO(docx())
    with zipfile.ZipFile(target, "a") as writer:
        writer.writestr("word/document2.xml", "x")
    return target.getvalue().replace(b"word/document2.xml", b"word/document.xml\0")


def bomb() -> bytes:
    """Return 200 MB of zeros in a .docx of less than 200 KB."""
    return docx({"word/media/image.bin": b"\0" * 200_000_000})


def many_parts(count: int = 10_000) -> bytes:
    return docx({f"word/{number}": "" for number in range(count)})


_MACROS = "application/vnd.ms-word.document.macroEnabled.main+xml"
_DEEP = b"[" * 100_000 + b"]" * 100_000

# name → (bytes, detected type)
TRICKY: Mapping[str, tuple[bytes, FileType]] = {
    "PDF after a mark": (b"\xef\xbb\xbf" + PDF, FileType.PDF),
    "PDF after 16 blanks": (b" \r\n\t" * 4 + PDF, FileType.PDF),
    "PDF after 17 blanks": (b" " * 17 + PDF, FileType.TEXT),
    "PDF behind HTML": (b"<html>" + PDF, FileType.TEXT),
    "PDF with a zip behind it": (PDF + archive({"a.exe": b"MZ"}), FileType.PDF),
    "PNG with a zip behind it": (png() + archive({"a": "b"}), FileType.PNG),
    "PNG without its header part": (b"\x89PNG\r\n\x1a\n\0\0\0\rIDAT", FileType.UNKNOWN),
    "the beginning of a PNG": (b"\x89PNG\r\n\x1a\n", FileType.UNKNOWN),
    "two bytes of a JPEG": (b"\xff\xd8", FileType.TEXT),  # two letters of Windows-1252
    "a GIF": (b"GIF89a\x01\x00\x01\x00", FileType.UNKNOWN),
    "an SVG": (b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', FileType.TEXT),
    "a text of DOS": (b"Dear reader,\r\n\x1a", FileType.TEXT),
    "a table of DOS, filled up to a block": (CSV + b"\x1a" * 97, FileType.TEXT),
    "JSON of DOS": (JSON + b"\x1a", FileType.JSON),
    "Ctrl-Z within a text": (b"Dear \x1a reader", FileType.UNKNOWN),
    "HTML": (b"<!doctype html><script>alert(1)</script>", FileType.TEXT),
    "an EXE": (b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff", FileType.UNKNOWN),
    "an ELF": (b"\x7fELF\x02\x01\x01" + bytes(9), FileType.UNKNOWN),
    "a shell script": (b"#!/bin/sh\nrm -rf /\n", FileType.TEXT),
    "gzip": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00", FileType.UNKNOWN),
    "7z": (b"7z\xbc\xaf\x27\x1c\x00\x04", FileType.UNKNOWN),
    "rar": (b"Rar!\x1a\x07\x00\xcf", FileType.UNKNOWN),
    "a plain zip": (archive({"readme.txt": "x"}), FileType.ZIP),
    "an empty zip": (b"PK\x05\x06" + bytes(18), FileType.UNKNOWN),
    "a jar": (archive({"META-INF/MANIFEST.MF": "Main-Class: A", "A.class": b"\xca\xfe"}), FileType.ZIP),
    "a pptx": (
        office(
            "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml", "ppt/presentation.xml"
        ),
        FileType.ZIP,
    ),
    "an ods": (odt("application/vnd.oasis.opendocument.spreadsheet"), FileType.ZIP),
    "a docm": (office(_MACROS, "word/document.xml"), FileType.ZIP),
    "a docm with a second name": (docx({"word/vbaProject.bin": b"x"}), FileType.ZIP),
    "a docx with macros elsewhere": (docx({"custom/VBAPROJECT.BIN": b"x"}), FileType.ZIP),
    "a dotx": (office(WORD.replace("document.main", "template.main"), "word/document.xml"), FileType.ZIP),
    "a docx whose main part has another name": (office(WORD, "word/document2.xml"), FileType.DOCX),
    "a docx whose main part has a name in capitals": (
        archive({"[Content_Types].xml": listed(WORD, "word/DOCUMENT.xml"), "word/document.xml": ""}),
        FileType.DOCX,
    ),
    "an xlsx whose main part has another name": (office(SHEET, "xl/workbook2.xml"), FileType.XLSX),
    "a docx without its main part": (
        archive({"[Content_Types].xml": listed(WORD, "word/document.xml"), "word/other.xml": ""}),
        FileType.ZIP,
    ),
    "a docx with macros under another name": (
        docx({"word/evil.bin": b"x", "word/_rels/document.xml.rels": relations("vbaProject", "evil.bin")}),
        FileType.ZIP,
    ),
    "a docx with macros under another name, in capitals and coded": (
        docx({"word/evil.bin": b"x", "word/_rels/document.xml.RELS": relations("vb&#65;Project", "evil.bin")}),
        FileType.ZIP,
    ),
    "a docx with a link to a web site": (
        docx({"word/_rels/document.xml.rels": relations("hyperlink", "https://example.org/vbaProject")}),
        FileType.DOCX,
    ),
    "an xlsx with macros of old": (
        office(SHEET, "xl/workbook.xml", {"xl/_rels/workbook.xml.rels": relations("xlMacrosheet", "m/sheet1.xml")}),
        FileType.ZIP,
    ),
    "a docm with its content type coded": (
        office(_MACROS.replace("macroEnabled", "macro&#69;nabled"), "word/document.xml"),
        FileType.ZIP,
    ),
    "a docx with a content type of macros among its parts": (
        docx_of(listed(WORD, "word/document.xml", ("application/vnd.ms-office.vbaProject", "word/a.bin"))),
        FileType.ZIP,
    ),
    "a docx with entities in its list": (
        docx_of(b'<!DOCTYPE Types [<!ENTITY a "aaaa">]>' + listed(WORD, "word/document.xml").encode()),
        FileType.ZIP,
    ),
    "a docx with a list that is no XML": (docx_of(f'"{WORD}"'), FileType.ZIP),
    "a docx with relationships that are no XML": (docx({"_rels/.rels": "<a"}), FileType.ZIP),
    "a docx with relationships beyond all measure": (docx({"_rels/.rels": b" " * 5_000_000}), FileType.ZIP),
    "a docx of another content type": (office("text/xml", "word/document.xml"), FileType.ZIP),
    "a docx without a list of types": (archive({"word/document.xml": "<w/>"}), FileType.ZIP),
    "a docx with its types in UTF-16": (
        docx_of(listed(WORD, "word/document.xml").encode("utf-16")),
        FileType.DOCX,
    ),
    "a docx with types that are no text": (
        archive({"[Content_Types].xml": b"\xff\xfa\x00", "word/document.xml": ""}),
        FileType.ZIP,
    ),
    "half a docx": (docx()[: len(docx()) // 2], FileType.ZIP),
    "a docx with a byte off": (docx().replace(b"word/document.xml", b"word/documens.xml", 1), FileType.DOCX),
    "four bytes of a zip": (b"PK\x03\x04", FileType.ZIP),
    "an odt with its type packed": (archive({"mimetype": FileType.ODT, "content.xml": ""}), FileType.ZIP),
    "an odt with its type second": (
        archive({"content.xml": "", "mimetype": FileType.ODT}, stored=frozenset({"mimetype"})),
        FileType.ZIP,
    ),
    "an odt without content": (archive({"mimetype": FileType.ODT}, stored=frozenset({"mimetype"})), FileType.ZIP),
    "an encrypted zip": (_encrypted(), FileType.ZIP),
    "a zip with a symbolic link": (_with_symlink(), FileType.ZIP),
    "parts that overlap": (_overlapping(), FileType.ZIP),
    "a part that lies about its size": (_lying_sizes(), FileType.ZIP),
    "a part twice": (_twice(), FileType.ZIP),
    "a bomb within a bomb": (docx({"word/inner.zip": archive({"zeros": b"\0" * 2_000_000})}), FileType.DOCX),
    "an xls": (ole("Workbook"), FileType.OLE),
    "an OLE file cut in its header": (ole("WordDocument")[:100], FileType.OLE),
    "an OLE file cut in its directory": (ole("WordDocument")[:1100], FileType.OLE),
    "an OLE file whose directory is a ring": (ole("Workbook", chain=(2, 1)), FileType.OLE),
    "an OLE file with a longer directory": (ole("WordDocument", chain=(3,)), FileType.DOC),
    "an OLE file with its directory nowhere": (ole("WordDocument", directory_at=1)[:512], FileType.OLE),
    "text in UTF-16": ("Grüße".encode("utf-16"), FileType.TEXT),
    "text in UTF-16, big end first": (b"\xfe\xff" + "Grüße".encode("utf-16-be"), FileType.TEXT),
    "half a character of UTF-16": (b"\xff\xfea\0b", FileType.UNKNOWN),
    "text in UTF-8 with a mark": (b"\xef\xbb\xbf" + "Grüße".encode(), FileType.TEXT),
    "text in Windows-1252": ("Grüße – €5".encode("cp1252"), FileType.TEXT),
    "a byte that Windows-1252 has not": (b"abc\x81\xfc", FileType.UNKNOWN),
    "text with a NUL": (b"abc\0def", FileType.UNKNOWN),
    "text with a bell": (b"abc\x07", FileType.UNKNOWN),
    "text with colours of a terminal": (b"\x1b[31mred\x1b[0m\f\v", FileType.TEXT),
    "JSON in a list": (b" [1, 2] ", FileType.JSON),
    "a JSON number": (b"42", FileType.TEXT),
    "JSON with NaN": (b'{"a": NaN}', FileType.TEXT),
    "JSON with a comma too many": (b'{"a": 1,}', FileType.TEXT),
    "JSON nested too deep": (_DEEP, FileType.TEXT),
    "JSON with a number too long": (b"[" + b"1" * 5000 + b"]", FileType.TEXT),
    "JSON in UTF-16": ('{"a": "ü"}'.encode("utf-16"), FileType.JSON),
    "RTF in capitals": (rb"{\RTF1 x}", FileType.TEXT),
}
