"""The version is defined in one place and shown in several."""

import subprocess
import sys
import tomllib

from django.test import Client

from config.docs.document import document
from config.version import VERSION
from tests.servers import ROOT

CHANGELOG = (ROOT / "CHANGELOG.md").read_text().splitlines()


def test_manage_py_prints_the_version() -> None:
    printed = subprocess.run([sys.executable, "manage.py", "--version"], cwd=ROOT, capture_output=True, text=True)

    assert printed.stdout == f"Signalbox {VERSION}\n"


def test_the_openapi_document_states_version_and_licence() -> None:
    info = document()["info"]

    assert info["version"] == VERSION
    assert info["license"] == {"name": "MIT", "identifier": "MIT"}


def test_the_documentation_page_shows_the_version(client: Client) -> None:
    assert f"Signalbox {VERSION}" in client.get("/docs/").content.decode()


def test_the_package_takes_its_version_from_the_code() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dynamic"] == ["version"]


def test_the_changelog_has_a_section_for_the_version() -> None:
    assert any(line.startswith(f"## [{VERSION}] – ") for line in CHANGELOG)


def test_no_line_of_the_changelog_is_longer_than_120_characters() -> None:
    assert [line for line in CHANGELOG if len(line) > 120] == []
