"""What browser tests share: the browser of this machine, none is downloaded.

It is ended with the last test here: its loop would make Django refuse every query of the tests that follow.
"""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from tests.browser.looks import Looks

# As root a browser has no sandbox; without the last ones some downloads over https are broken off.
FLAGS = ["--no-sandbox", "--ignore-certificate-errors", "--disable-dev-shm-usage", "--disable-gpu"]
PATIENCE_MS = 60_000  # for a machine with much else to do


@pytest.fixture(scope="session")
def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium on this machine")
    return found


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="package")
def browser(playwright: Playwright, chromium: str) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def looks() -> Looks:
    return Looks()
