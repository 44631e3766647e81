"""The content types and relationships of the parts of an Office document.

Office programs use these instead of names: the main part may be `word/document2.xml`, and macros `word/a.bin`.
Source: docs/reference/files.md §4, the zip rules; ISO/IEC 29500-2 §10 (content types), §9 (relationships).
"""

import zipfile
from collections.abc import Iterator, Mapping
from xml.parsers import expat

CONTENT_TYPES = "[Content_Types].xml"
MAX_LISTING_BYTES = 1024 * 1024
MAX_RELATIONSHIPS_BYTES = 4 * 1024 * 1024  # of all such parts together

_MACROS = ("macroenabled", "vbaproject", "vbadata", "macrosheet")  # in content types and kinds of relationship


class NotReadable(ValueError):
    """A listing is not XML, has a document type, or is too large."""


def types_of(archive: zipfile.ZipFile, parts: Mapping[str, zipfile.ZipInfo]) -> set[str]:
    """Return the content types of the parts in lower case, or an empty set if there are signs of macros.

    Raises NotReadable and the errors of `zipfile`.
    """
    listing = parts.get(CONTENT_TYPES)
    if listing is None or listing.file_size > MAX_LISTING_BYTES:
        raise NotReadable
    by_extension: dict[str, str] = {}
    by_name: dict[str, str] = {}
    for element, attributes in _elements(archive.read(listing)):
        content_type = attributes.get("ContentType", "").lower()
        if _is_about_macros(content_type):
            return set()
        if element == "Default":
            by_extension[attributes.get("Extension", "").lower()] = content_type
        elif element == "Override":
            by_name[attributes.get("PartName", "").lstrip("/").lower()] = content_type
    if any(_is_about_macros(kind) for kind in _relationships(archive, parts)):
        return set()
    names = (name.lower() for name in parts)
    return {by_name.get(name) or by_extension.get(name.rpartition(".")[2], "") for name in names}


def _relationships(archive: zipfile.ZipFile, parts: Mapping[str, zipfile.ZipInfo]) -> Iterator[str]:
    """Yield the kinds of all relationships of all parts, in lower case."""
    listings = [part for name, part in parts.items() if name.lower().endswith(".rels")]
    if sum(listing.file_size for listing in listings) > MAX_RELATIONSHIPS_BYTES:
        raise NotReadable
    for listing in listings:
        for _, attributes in _elements(archive.read(listing)):
            yield attributes.get("Type", "").lower()


def _is_about_macros(text: str) -> bool:
    return any(word in text for word in _MACROS)


def _elements(content: bytes) -> list[tuple[str, dict[str, str]]]:
    """Return each element's name, without its namespace, and its attributes. Raises NotReadable."""
    found: list[tuple[str, dict[str, str]]] = []
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = lambda name, attributes: found.append((name.rpartition(" ")[2], attributes))
    parser.StartDoctypeDeclHandler = _refuse  # documents have none, and its entities could expand without limit
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError) as error:
        raise NotReadable from error
    return found


def _refuse(*_: object) -> None:
    raise NotReadable
