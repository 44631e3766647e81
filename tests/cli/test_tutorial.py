"""Every command of the tutorial runs, in order, in a fresh folder with a running service."""

import os
import re
import subprocess

import pytest

from tests.config.test_up import ENVIRONMENT, Copy
from tests.servers import ROOT

PAGES = sorted((ROOT / "docs" / "tutorial").glob("*.md"))
START, INSTALL = "make run\n", "pipx install ./cli"  # the fixtures do both
URL = "http://127.0.0.1:8000"


def blocks(page) -> list[str]:
    found = re.findall(r"^```bash\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return [block.replace(INSTALL, "signalbox version") for block in found if block != START]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    copy = Copy(tmp_path_factory.mktemp("clone"))
    copy.migrate()
    program = copy.start()
    yield copy
    program.stop()


@pytest.fixture(scope="module")
def printed(copy, python):
    """Run the commands of all pages in one shell, and return what each page printed."""
    script = "set -eu\n"
    for page in PAGES:
        script += f"printf '\\n=== {page.stem}\\n'\n" + "".join(blocks(page)).replace(URL, copy.url)
    environment = {
        **ENVIRONMENT,
        "PATH": f"{python.parent}{os.pathsep}{ENVIRONMENT['PATH']}",
        "SIGNALBOX_URL": copy.url,  # the port of the page may be in use
    }
    done = subprocess.run(
        ["bash", "-c", script], cwd=copy.folder, env=environment, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stdout + done.stderr
    parts = re.split(r"^=== (.*)\n", done.stdout, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("1-start", "Gate code"),
        ("2-message", "Your visit is booked, Ana"),
        ("2-message", "order-1042"),
        ("2-message", "It would be refused."),
        ("3-records", "2 records are stored."),
        ("3-records", "42"),
        ("3-records", "2026-11-20T09:00:00"),
        ("4-templates", "+Hello. Your gate code"),
        ("4-templates", "Hello. Your gate code is 4711."),
        ("5-failures", "permanent-failure"),
        ("5-failures", '"signature": "unknown"'),
        ("6-tests", "1 passed"),
        ("7-production", '"api_key": "orders-'),
    ],
)
def test_a_page_prints_what_it_promises(printed, page, text):
    assert text in printed[page]


def test_the_tutorial_is_seven_short_pages_with_commands():
    assert [page.stem[0] for page in PAGES] == list("1234567")
    assert [page.name for page in PAGES if len(page.read_text().splitlines()) > 60] == []
    assert START in PAGES[0].read_text()
