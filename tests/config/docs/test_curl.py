"""Every example of the documentation page runs as pasted with the demo data."""

import json
import re
import subprocess

import pytest

from config.docs import page

(AUTHENTICATION,) = re.findall(r"```bash\n(.*?)```", page.areas()[0]["sections"][0]["chapter"].text, re.DOTALL)
EXAMPLES = {
    operation["anchor"]: operation["curl"]
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


@pytest.fixture(scope="module")
def demo(service):
    made = service.manage("demo")
    assert made.returncode == 0, made.stderr
    return service


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_works_as_pasted(demo, name):
    pasted = f"{AUTHENTICATION}\n{EXAMPLES[name]}".replace("http://127.0.0.1:8000", demo.url)

    done = subprocess.run(["bash", "-c", pasted], cwd=demo.folder / "var", capture_output=True, text=True, timeout=30)

    answer = json.loads(done.stdout)
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
