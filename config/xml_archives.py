"""Open the zip archive of a spreadsheet, and read the elements of its XML parts one after another."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO
from xml.parsers import expat

MAX_PARTS = 10_000

_READ_BYTES = 64 * 1024
_IS_ENCRYPTED = 0x1
BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, ValueError, OverflowError),
    *(EOFError, OSError, KeyError, expat.ExpatError, LookupError),
)


class UnreadableArchive(ValueError):
    """The file is no zip archive, or it is broken, encrypted or too large, or a part of it has a document type."""


def open_archive(file: BinaryIO, *, max_unpacked_bytes: int) -> zipfile.ZipFile:
    """Return the archive after every part was unpacked once. Raises UnreadableArchive.

    A part that is larger than its declared size is an error.
    """
    try:
        archive = zipfile.ZipFile(file)
        parts = archive.infolist()
        if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > max_unpacked_bytes:
            raise UnreadableArchive
        if any(part.flag_bits & _IS_ENCRYPTED for part in parts):
            raise UnreadableArchive
        for part in parts:
            with archive.open(part) as unpacked:
                while unpacked.read(_READ_BYTES):
                    pass
    except BROKEN as error:
        raise UnreadableArchive from error
    return archive


class XmlElements:
    """Reads one part of an archive. Subclasses get its elements and texts, without namespaces."""

    def read(self, archive: zipfile.ZipFile, path: str) -> Iterator[None]:
        """Read the part in blocks, and yield after each. Raises UnreadableArchive, expat.ExpatError, KeyError."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = lambda name, attributes: self.start(
            name.rpartition(" ")[2], {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        )
        parser.EndElementHandler = lambda name: self.end(name.rpartition(" ")[2])
        parser.CharacterDataHandler = self.text
        parser.StartDoctypeDeclHandler = _refuse_doctype
        with archive.open(path) as file:
            while block := file.read(_READ_BYTES):
                parser.Parse(block)
                yield
        parser.Parse(b"", True)
        yield

    def read_whole(self, archive: zipfile.ZipFile, path: str) -> None:
        """Read the whole part. Raises as `read` does."""
        for _ in self.read(archive, path):
            pass

    def start(self, name: str, attributes: dict[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...


def _refuse_doctype(*_: object) -> None:
    raise UnreadableArchive  # its entities could expand without limit
