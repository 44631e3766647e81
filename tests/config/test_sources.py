"""Every `Source:` names an existing section of a document of this project, or of an RFC or another standard."""

import re
from pathlib import Path

import pytest

from tests.servers import ROOT

TREES = ("benchmarks", "config", "datasets", "notifications", "templates", "tests")
DOCUMENT = re.compile(r"docs/[\w/-]+\.md")
SECTION = re.compile(r"§(\d+(?:\.\d+)*)")
CASE = re.compile(r"\b[A-I]\d{1,2}\b")
OTHER = re.compile(r"RFC \d+|SMPP|3GPP|https://|\[MS-CFB\]|mallopt|ietf|OWASP|Amazon")


def sources() -> list[tuple[str, str]]:
    """Return the file and the text of each `Source:` up to the end of its sentence."""
    found = []
    for tree in TREES:
        for path in sorted((ROOT / tree).rglob("*")):
            if path.suffix not in {".py", ".html", ".css", ".js"} or "node_modules" in path.parts:
                continue
            if path.name != Path(__file__).name:
                text = path.read_text()
                for match in re.finditer(r"Source: (.*?)(?:\.(?:\s|\"\"\"|$)|\"\"\"|\n\s*\n)", text, re.DOTALL):
                    found.append((str(path.relative_to(ROOT)), " ".join(match[1].split())))
    return found


def sections_of(document: str) -> set[str]:
    return set(re.findall(r"^#+ (\d+(?:\.\d+)*)\.? ", (ROOT / document).read_text(), re.MULTILINE))


def unknown_in(source: str) -> list[str]:
    """Return the parts of a source that do not exist."""
    missing = []
    document = ""  # the document of the sections that follow a comma
    for part in re.split(r"[;,] | to ", source):
        if named := DOCUMENT.search(part) or OTHER.search(part):
            document = named[0]
        if not document:
            missing.append(part)
        if not document.startswith("docs/"):
            continue
        if not (ROOT / document).exists():
            missing.append(document)
            continue
        missing += [f"{document} §{number}" for number in SECTION.findall(part) if number not in sections_of(document)]
        if document == "docs/testing.md":
            text = (ROOT / document).read_text()
            missing += [f"{document}, {case}" for case in CASE.findall(part) if not re.search(rf"\b{case}\b", text)]
    return missing


def test_every_source_names_a_section_that_exists() -> None:
    missing = {f"{file}: {source}": unknown for file, source in sources() if (unknown := unknown_in(source))}

    assert missing == {}


def test_the_code_has_sources() -> None:
    assert len(sources()) > 300


@pytest.mark.parametrize(
    "source", ["docs/reference/console.md §9.9", "docs/missing.md §1", "docs/testing.md, A99", "the contract §4"]
)
def test_a_missing_source_is_found(source: str) -> None:
    assert unknown_in(source)
