"""The type of a file is detected from its bytes, and no content makes the detector raise. Cases F4, F5."""

import random
import time
import tracemalloc

import pytest

from notifications.attachments import file_types, zip_files
from notifications.attachments.types import FileType
from tests.notifications.attachments import samples

EXPECTED = {
    "pdf": FileType.PDF,
    "png": FileType.PNG,
    "jpg": FileType.JPEG,
    "jpeg": FileType.JPEG,
    "rtf": FileType.RTF,
    "doc": FileType.DOC,
    "docx": FileType.DOCX,
    "xlsx": FileType.XLSX,
    "odt": FileType.ODT,
    "csv": FileType.TEXT,
    "txt": FileType.TEXT,
    "json": FileType.JSON,
}
MUTATIONS = 20_000


def test_every_type_has_samples() -> None:
    assert samples.GOOD.keys() == EXPECTED.keys()
    assert len(samples.GOOD) + len(samples.TRICKY) >= 68


@pytest.mark.parametrize("extension", samples.GOOD)
def test_a_supported_type_is_detected(extension: str) -> None:
    found = file_types.detect(samples.GOOD[extension])

    assert found == EXPECTED[extension]
    assert file_types.fits(extension, found)


@pytest.mark.parametrize(("data", "expected"), samples.TRICKY.values(), ids=samples.TRICKY)
@pytest.mark.fault("F4")
def test_a_disguised_or_broken_file_is_detected(data: bytes, expected: FileType) -> None:
    assert file_types.detect(data) == expected


def test_an_extension_must_match_its_type_and_text_has_several() -> None:
    texts, pictures = {"csv", "txt", "json"}, {"jpg", "jpeg"}
    for extension in EXPECTED:
        for other, found in EXPECTED.items():
            alike = {extension, other} <= texts or {extension, other} <= pictures or extension == other
            assert file_types.fits(extension, found) is alike, (extension, other)
        for never in (FileType.ZIP, FileType.OLE, FileType.UNKNOWN):
            assert not file_types.fits(extension, never)


@pytest.mark.parametrize(
    ("data", "is_csv", "extension"),
    [
        (samples.CSV, None, "csv"),
        (samples.CSV, True, "csv"),
        (samples.CSV, False, "txt"),
        (samples.TEXT, None, "txt"),
        (samples.TEXT, True, "csv"),
        (samples.JSON, None, "json"),
        (samples.JSON, True, "csv"),
        (samples.JSON, False, "json"),
        (b"a;b\n1;2\n", None, "csv"),
        (b"a\tb\n\n1\t2", None, "csv"),
        (b"a,b\n1,2,3\n", None, "txt"),
        (b"a,b\n", None, "txt"),
        (b'"a,1",b\n"c\nd",e\n', None, "csv"),
        (b"a,b\n" * 100 + b"no table any more\n", None, "csv"),
        (samples.PDF, True, "pdf"),
        (samples.JPEG, None, "jpg"),
        (samples.GOOD["docx"], None, "docx"),
        (samples.GOOD["doc"], None, "doc"),
        (b"MZ\0", None, None),
        (samples.TRICKY["a plain zip"][0], True, None),
    ],
)
def test_a_file_without_a_name_gets_the_extension_of_its_type(
    data: bytes, is_csv: bool | None, extension: str | None
) -> None:
    assert file_types.extension_for(data, file_types.detect(data), is_csv=is_csv) == extension


@pytest.mark.parametrize("name", ["bomb", "many parts"])
@pytest.mark.fault("F5")
def test_a_malicious_file_is_rejected_without_unpacking(name: str) -> None:
    data = samples.bomb() if name == "bomb" else samples.many_parts()
    assert len(data) < 2 * 1024 * 1024
    tracemalloc.start()
    started = time.process_time()

    found = file_types.detect(data)

    took = time.process_time() - started
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == FileType.ZIP
    assert took < 8  # seconds of CPU; one second was measured without the tracer
    assert most < 20 * 1024 * 1024


def test_the_limit_of_parts_is_exact() -> None:
    own = 2  # in an otherwise empty document

    assert file_types.detect(samples.many_parts(zip_files.MAX_PARTS - own)) == FileType.DOCX
    assert file_types.detect(samples.many_parts(zip_files.MAX_PARTS - own + 1)) == FileType.ZIP


@pytest.mark.fault("F4")
def test_twenty_thousand_mutated_files_raise_nothing() -> None:
    chance = random.Random(20261121)  # noqa: S311  the same files in every run
    originals = [*samples.GOOD.values(), *(data for data, _ in samples.TRICKY.values() if len(data) < 20_000)]
    counted: dict[FileType, int] = {}

    for _ in range(MUTATIONS):
        mutated = mutate(chance.choice(originals), chance)
        found = file_types.detect(mutated)
        file_types.extension_for(mutated, found, is_csv=chance.choice([None, True, False]))
        counted[found] = counted.get(found, 0) + 1

    assert sum(counted.values()) == MUTATIONS
    assert counted.keys() == set(FileType)


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Flip, cut, double or move some bytes."""
    mutated = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(mutated) + 1)
        match chance.randrange(5):
            case 0 if at < len(mutated):
                mutated[at] = chance.randrange(256)
            case 1 if at < len(mutated):
                mutated[at] ^= 1 << chance.randrange(8)
            case 2:
                del mutated[at : at + chance.randint(1, 30)]
            case 3:
                mutated[at:at] = chance.randbytes(chance.randint(1, 8))
            case _:
                mutated[at:at] = mutated[chance.randrange(len(mutated) + 1) :][: chance.randint(1, 60)]
    return bytes(mutated)
