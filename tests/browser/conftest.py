"""Fixtures of browser tests. They use the Chromium of this machine and download none.

The browser ends with the last browser test, because its event loop makes Django refuse queries.
"""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from tests.browser.looks import Looks

# As root, Chromium has no sandbox. Without the next three options, some downloads over https are aborted.
# No page is open for long enough to gain by optimised JavaScript, and optimising took a tenth of the CPU time.
FLAGS = [
    *("--no-sandbox", "--ignore-certificate-errors", "--disable-dev-shm-usage", "--disable-gpu"),
    "--js-flags=--no-opt --no-maglev",
]
WHOLE = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_MS = 60_000  # for a busy machine


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the program without windows, whose drawing takes a third of the CPU time of a page, or else the whole."""
    return program("chromium-headless-shell", *WHOLE)


@pytest.fixture(scope="session")
def whole_chromium() -> str:
    """Return the program that reads the settings of a profile."""
    return program(*WHOLE)


def program(*names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
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
