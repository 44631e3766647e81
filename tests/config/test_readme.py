"""Every block of the README runs unchanged against a running service with the demo data."""

import json
import re
import subprocess

import pytest

from tests.servers import ROOT

BLOCKS = re.findall(r"^```bash\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def demo(service):
    made = service.manage("demo")
    assert made.returncode == 0, made.stderr
    return service


def paste(block: str, demo) -> list[dict[str, object]]:
    """Run the block in bash in the folder of `.demo.env`, and return the JSON objects that it prints."""
    pasted = block.replace("http://127.0.0.1:8000", demo.url)
    done = subprocess.run(["bash", "-c", pasted], cwd=demo.folder / "var", capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    found, end = [], 0
    while end < len(done.stdout.rstrip()):
        value, end = json.JSONDecoder().raw_decode(done.stdout, end)
        found.append(value)
    return found


def test_the_first_record_is_stored_and_read_as_pasted(demo):
    (block,) = [block for block in BLOCKS if "/data/" in block]

    written, read = paste(block, demo)

    assert written == {"status": "ok"}
    assert [record["count"] for record in read["data"]] == [42]


def test_the_first_message_is_sent_as_pasted(demo):
    (block,) = [block for block in BLOCKS if "/v2/" in block]

    (answer,) = paste(block, demo)

    assert set(answer) >= {"id", "reference", "content", "uri", "template"}
    assert "Ana" in answer["content"]["body"]
