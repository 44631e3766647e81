"""Time three people who start from nothing, one with curl, one with Python and one with a browser.

`python -m benchmarks.first_steps`. Each takes the steps of the documents: clone, `make run`, send a message, read a
record. The target is three minutes. The installation of packages is shown apart, because it depends on the network.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dotenv import dotenv_values
from playwright.sync_api import sync_playwright

from tests.config.test_up import ENVIRONMENT
from tests.servers import ROOT, Program, free_port

MOST_SECONDS = 180
INSTALLATION_SECONDS = 600
TEMPLATE = "Visit booked"
URL = "http://127.0.0.1:8000"  # of the documents
LIBRARY = """
import doctest, os, pathlib, re
page = pathlib.Path("docs/library.md").read_text()
blocks = re.findall(r"^```pycon\\n(.*?)^```", page, re.M | re.S)
names = {"url": os.environ["API"], "key": os.environ["NOTIFY_API_KEY"], "token": os.environ["DATA_TOKEN"],
         "template_id": os.environ["EMAIL_TEMPLATE"]}
(data,) = [block for block in blocks if "client.data_set(" in block and "iter_records" in block][:1]
example = doctest.DocTestParser().get_doctest(blocks[0] + data, names, "library", "docs/library.md", 1)
runner = doctest.DocTestRunner()
assert runner.run(example).failed == 0
"""


class Start:
    """A fresh clone, in which `make run` has started the service."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "signalbox"
        subprocess.run(["git", "clone", "--quiet", ROOT, self.folder], check=True)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        began = time.monotonic()
        self.program = Program(
            *("make", "run", f"PORT={port}"), log=folder / "run.log", environment=ENVIRONMENT, folder=self.folder
        )
        self.program.wait_until(lambda: self.program.has_said("Ready in"), INSTALLATION_SECONDS)
        self.seconds = time.monotonic() - began
        (ready,) = re.findall(r"Ready in (\d+) s", self.program.log.read_text())
        self.start_seconds = int(ready)

    @property
    def secrets(self) -> dict[str, str]:
        return {name: value or "" for name, value in dotenv_values(self.folder / ".demo.env").items()}


def curl(start: Start) -> None:
    """Run the blocks of README.md with curl: they write a record, read it, and send an email."""
    blocks = re.findall(r"^```bash\n(.*?)^```", (start.folder / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    for block in blocks:
        if "curl" in block:
            _checked(start, "bash", "-c", f"set -e\n{block.replace(URL, start.url)}")


def python(start: Start) -> None:
    _checked(start, sys.executable, "-m", "venv", "own")
    _checked(start, "own/bin/pip", "install", "--quiet", "./cli")
    _checked(start, "own/bin/python", "-c", LIBRARY, **start.secrets, API=start.url)


def browser(start: Start) -> None:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = opened.new_page(base_url=start.url)
        page.goto("/admin/")
        page.get_by_label("Email address or user name").fill("admin")
        page.get_by_label("Password").fill(start.secrets["ADMIN_PASSWORD"])
        page.get_by_label("Password").press("Enter")
        page.get_by_role("link", name="Send", exact=True).click()
        page.get_by_label(TEMPLATE).check()
        page.get_by_role("button", name="Continue").click()
        page.get_by_label("Email address", exact=True).fill("ana@example.org")
        page.get_by_label("name", exact=True).fill("Ana")
        page.get_by_label("items", exact=True).fill("a passport")
        page.get_by_role("button", name="Check message").click()
        page.get_by_role("button", name="Send 1 test").click()
        page.get_by_text("Marked as delivered").or_(page.get_by_text("This was a test")).first.wait_for()
        page.get_by_role("link", name="Data", exact=True).click()
        page.get_by_role("link", name="demo/visits").click()
        page.get_by_role("link", name="Records", exact=True).click()
        page.get_by_role("button", name=re.compile("-web$")).first.wait_for()
        opened.close()


def _checked(start: Start, *command: str, **variables: str) -> None:
    done = subprocess.run(
        command,
        cwd=start.folder,
        env={**ENVIRONMENT, **variables},
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)[:80]}\n{done.stdout}{done.stderr}")


def main() -> None:
    # Python comes last: the examples of the library empty the data set.
    people: tuple[Callable[[Start], None], ...] = (curl, browser, python)
    with tempfile.TemporaryDirectory() as folder:
        start = Start(Path(folder))
        try:
            print(f"clone to ready: {start.seconds:.0f} s, of which {start.start_seconds} s start the service")
            for person in people:
                began = time.monotonic()
                person(start)
                own = time.monotonic() - began
                verdict = "reached" if start.start_seconds + own <= MOST_SECONDS else "missed"
                print(f"{person.__name__}: {own:.1f} s after the start (≤ {MOST_SECONDS} s: {verdict})")
        finally:
            start.program.stop()


if __name__ == "__main__":
    main()
