"""Every example of the documentation page runs as pasted with the demo data, in each language of this machine.

Python and Node are always there. No Debian package has .NET: a grammar of C# reads its programs, and nothing runs them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tree_sitter_c_sharp
from dotenv import dotenv_values
from tree_sitter import Language, Parser

from config.docs import page

(AUTHENTICATION,) = re.findall(r"```bash\n(.*?)```", page.areas()[0]["sections"][0]["chapter"].text, re.DOTALL)
PROGRAMS = {
    operation["anchor"]: {program.code: program.text for program in operation["programs"]}
    for area in page.areas()
    for section in area["sections"]
    for operation in section["operations"]
}

WITHOUT_ROW = {  # nothing has the id of the example
    *("readMessage", "moveScheduledMessage", "cancelScheduledMessage", "readBulkSend", "listBulkRows", "moveBulkSend"),
    *("pauseBulkSend", "resumeBulkSend", "cancelBulkSend", "retryFailedMessages", "readSuppression"),
    "readTemplateFile",
}
OF_ONE_RECORD = {"readRecord", "changeRecord", "deleteRecord"}
WITHOUT_IMPORT = {"readImport", "changeImport", "cancelImport", "readRejectedRows"}
NOT_WITH_A_TEST_KEY = {"addSuppression", "liftSuppression"}
RUNNERS = Path(__file__).parent / "runners"
ALWAYS = {"python": (sys.executable, "run.py"), "node": ("node", "run.mjs")}
IF_INSTALLED = {"java": ("java", "Run.java"), "php": ("php", "run.php"), "ruby": ("ruby", "run.rb")}
LANGUAGES = {**ALWAYS, **{code: runner for code, runner in IF_INSTALLED.items() if shutil.which(runner[0])}}
URL = "http://127.0.0.1:8000"  # in the examples


@pytest.fixture(scope="module")
def demo(service):
    made = service.manage("demo")
    assert made.returncode == 0, made.stderr
    return service


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_example_works_as_pasted(demo, name):
    pasted = f"{AUTHENTICATION}\n{PROGRAMS[name]['curl']}".replace(URL, demo.url)

    done = subprocess.run(["bash", "-c", pasted], cwd=demo.folder / "var", capture_output=True, text=True, timeout=30)

    check(name, done.stdout)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_examples_of_a_language_work_as_pasted(demo, code, tmp_path):
    command, runner = LANGUAGES[code]
    for name, texts in PROGRAMS.items():
        text = texts[code].replace(URL, demo.url).replace("class Example", f"class {name}")  # Java: one compilation
        (tmp_path / f"{name}{Path(runner).suffix}").write_text(text)
    secrets = dotenv_values(demo.folder / "var" / ".demo.env")

    done = subprocess.run(
        [command, RUNNERS / runner, tmp_path],
        env={**os.environ, **secrets},
        capture_output=True,
        text=True,
        timeout=200,
    )

    assert done.returncode == 0, done.stderr
    for name, printed in printed_by(runner, done.stdout).items():
        status, _, answer = printed.partition(" ")
        assert status.isdecimal()
        check(name, answer)


def test_the_examples_for_dotnet_are_valid_by_the_grammar():
    parser = Parser(Language(tree_sitter_c_sharp.language()))
    wrong = {name for name, texts in PROGRAMS.items() if parser.parse(texts["dotnet"].encode()).root_node.has_error}

    assert wrong == set()
    assert parser.parse(b'string name = "Ana;').root_node.has_error


def printed_by(runner, output):
    """Return what each program printed. The runner of Java has no library that writes JSON."""
    lines = dict(line.split(" ", 1) for line in output.splitlines()) if runner == "Run.java" else json.loads(output)
    assert lines.keys() == PROGRAMS.keys()
    return lines


def check(name, body):
    answer = json.loads(body)
    if name in WITHOUT_ROW:
        assert answer["errors"][0]["message"] == "No result found"
    elif name in WITHOUT_IMPORT:
        assert answer["message"].startswith("There is no such import")
    elif name == "undoEmptying" and answer["status"] == "error":  # the example that empties has not run yet
        assert answer["message"].startswith("There is nothing to undo")
    elif name in OF_ONE_RECORD and answer.get("status") == "error":  # its example has an _id of a fixed day
        assert answer["message"] == "There is no record with this _id."
    elif name in NOT_WITH_A_TEST_KEY:
        assert answer["errors"][0]["message"] == "Can't change suppressions using a test API key"
    else:
        assert not answer.get("errors"), answer
        assert answer.get("status") in {None, "ok"}, answer
