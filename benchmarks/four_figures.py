"""Time a person who makes the four key figures from the demo data and publishes them, by the text on the pages alone.

`python -m benchmarks.four_figures FOLDER`. It starts the service with its demo data, and writes pictures of each page
to FOLDER: 1280 and 390 px wide, light and dark. A person needs 5 s for a click, 10 s for a choice, 0.3 s for a typed
character, 0.25 s for each new word of the main part of a page, and 5 s to find a link on a page of others. The target
is ten minutes.
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from dotenv import dotenv_values
from playwright.sync_api import Locator, Page, sync_playwright

from tests.browser.looks import Scheme
from tests.config.test_up import ENVIRONMENT
from tests.servers import Program, free_port

MOST_SECONDS = 600
START_SECONDS = 60
CLICK_SECONDS, CHOICE_SECONDS, CHARACTER_SECONDS, WORD_SECONDS, FIND_SECONDS = 5, 10, 0.3, 0.25, 5
PASSED = ("Overview", "Data sets", "Dashboards")  # pages on which the person looks for a link only
WIDTHS, HEIGHT = (1280, 390), 860
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
CONSOLE_SCHEME = "isDark => document.documentElement.classList.toggle('dark', isDark)"
URL_NAME = "apply-for-a-mooring"


class Person:
    """Uses a page and counts the seconds of each step."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.seconds = 0.0
        self._pictures = 0
        self._known: set[str] = set()  # the lines that the person has read

    def _step(self, seconds: float, words: str) -> None:
        self.seconds += seconds
        print(f"{self.seconds:6.0f} s  {words}")

    def _read(self, name: str) -> None:
        """Read the page that has opened, and take its pictures."""
        lines = set(self.page.locator("main").first.inner_text().splitlines()) - self._known
        self._known |= lines
        is_passed = name in PASSED
        self._step(FIND_SECONDS if is_passed else _words(lines) * WORD_SECONDS, f"read: {name}")
        self._pictures += 1
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": HEIGHT})
            for scheme in SCHEMES:
                self.page.emulate_media(color_scheme=scheme)
                self.page.evaluate(CONSOLE_SCHEME, scheme == "dark")
                path = (
                    self.folder / f"{self._pictures:02}-{re.sub(r'[^a-z0-9]+', '-', name.lower())}-{width}-{scheme}.png"
                )
                self.page.screenshot(path=path, full_page=True)
        self.page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})
        self.page.emulate_media(color_scheme=SCHEMES[0])
        self.page.evaluate(CONSOLE_SCHEME, False)

    def open(self, path: str, name: str) -> None:
        self.page.goto(path)
        self._read(name)

    def click(self, control: Locator, words: str, *, opens: str = "") -> None:
        control.click()
        self._step(CLICK_SECONDS, words)
        if opens:
            self.page.wait_for_load_state()
            self._read(opens)

    def button(self, words: str, *, opens: str) -> None:
        self.click(self.page.get_by_role("button", name=words), words, opens=opens)

    def link(self, words: str, *, opens: str) -> None:
        self.click(self.page.get_by_role("link", name=words, exact=True).first, words, opens=opens)

    def type(self, label: str, text: str) -> None:
        self.page.get_by_label(label).first.fill(text)
        self._step(CLICK_SECONDS + len(text) * CHARACTER_SECONDS, f"{label}: {text}")

    def choose(self, label: str, option: str) -> None:
        self.page.get_by_label(label).first.select_option(option)
        self._step(CHOICE_SECONDS, f"{label}: {option}")

    def check(self, label: str) -> None:
        self.page.get_by_label(label).check()
        self._step(CLICK_SECONDS, label)


def _words(lines: Iterable[str]) -> int:
    return sum(len(line.split()) for line in lines)


def walk(person: Person, password: str) -> None:
    person.open("/admin/", "Sign in")
    person.type("Email address or user name", "admin")
    person.type("Password", password)
    person.button("Sign in", opens="Overview")
    person.link("Data", opens="Data sets")
    person.link("Dashboards", opens="Dashboards")
    person.link("Create dashboard", opens="Create dashboard")
    person.type("Title", "Apply for a mooring")
    person.button("Create dashboard", opens="Tiles")
    _take_up(person)
    _completion(person)
    _satisfaction(person)
    _cost(person)
    person.link("Publishing", opens="Publishing")
    person.link("Publish…", opens="Publish")
    person.button("Publish dashboard", opens="Published")


def _begin(person: Person, kind: str, data_set: str) -> None:
    person.link("Add a key figure", opens=f"Add a key figure: {kind}")
    person.check(kind)
    person.choose("Which data set has the transactions or ratings?", data_set)


def _take_up(person: Person) -> None:
    _begin(person, "Digital take-up", "demo/transactions (channel, count)")
    person.button("Continue", opens="Digital take-up")
    person.choose("Which field has the channel?", "channel")
    person.type("Which channels are digital?", "web")
    person.choose("Which field has the number of transactions?", "count")
    person.type("What is the target, in percent?", "70")
    person.button("Add key figure", opens="Tiles 1")


def _completion(person: Person) -> None:
    _begin(person, "Completion rate", "demo/steps (count, step)")
    person.button("Continue", opens="Completion rate")
    person.choose("Which field has the state of a transaction?", "step")
    person.type("Which values mean that it was completed?", "completed")
    person.type("Which values mean that it was started?", "started")
    person.choose("Which field has the number of transactions?", "count")
    person.button("Add key figure", opens="Tiles 2")


def _satisfaction(person: Person) -> None:
    _begin(person, "User satisfaction", "demo/ratings (count, rating)")
    person.button("Continue", opens="User satisfaction")
    person.choose("Which field has the rating from 1 to 5?", "rating")
    person.choose("Which field has the number of answers?", "count")
    person.button("Add key figure", opens="Tiles 3")


def _cost(person: Person) -> None:
    _begin(person, "Cost per transaction", "demo/transactions (channel, count)")
    person.choose("Which data set has the costs?", "demo/costs (pounds)")
    person.button("Continue", opens="Cost per transaction")
    person.choose("Which field has the cost in pounds?", "pounds")
    person.choose("Which field has the number of transactions?", "count")
    person.button("Add key figure", opens="Tiles 4")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.four_figures FOLDER")
    pictures = Path(sys.argv[1])
    pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as var, sync_playwright() as playwright:
        port = free_port()
        program = Program(
            *(sys.executable, "manage.py", "up", "--port", str(port)),
            log=Path(var) / "up.log",
            environment={**ENVIRONMENT, "VAR_DIR": var},
        )
        try:
            program.wait_until(lambda: program.has_said("Ready in"), START_SECONDS)
            password = dotenv_values(Path(var) / ".demo.env")["ADMIN_PASSWORD"] or ""
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            person = Person(browser.new_page(base_url=f"http://127.0.0.1:{port}"), pictures)
            walk(person, password)
            seconds = person.seconds
            person.open(f"/dashboards/{URL_NAME}", "Public page")
            verdict = "reached" if seconds <= MOST_SECONDS else "missed"
            print(f"{seconds:.0f} s until the page is published (≤ {MOST_SECONDS} s: {verdict})")
            browser.close()
        finally:
            program.stop()


if __name__ == "__main__":
    main()
