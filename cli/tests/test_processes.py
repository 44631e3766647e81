"""The command line as a process: variables, streams and signals, which do not depend on the stores of the service."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.servers import serve


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("HTTP_PROXY", "garbage", 0),
        ("HTTP_PROXY", "http://127.0.0.1:1", 0),  # a service on this machine is called directly
        ("ALL_PROXY", "socks9://127.0.0.1:1", 1),
        ("SSL_CERT_FILE", "/no/such/file", 1),
        ("SIGNALBOX_URL", "http://ana:hunter2@127.0.0.1:1", 1),
        ("SIGNALBOX_URL", "http://[::1", 1),
        ("SIGNALBOX_URL", "http://127.0.0.1:1?key=hunter2", 1),
        ("SIGNALBOX_URL", f"http://{'a' * 70}.example", 1),
        ("NOTIFY_API_KEY", "hunter2", 1),
        ("PYTHON_KEYRING_BACKEND", "no.such.Keyring", 0),
    ],
)
def test_a_wrong_variable_is_a_sentence_without_its_secret(name, value, code):
    done = subprocess.run(
        [sys.executable, "-m", "signalbox", "templates", "list"],
        env={**os.environ, name: value},
        capture_output=True,
        text=True,
        timeout=30,
    )

    assert (done.returncode, "Traceback" in done.stderr, "hunter2" in done.stderr + done.stdout) == (code, False, False)
    assert "not as expected" not in done.stderr


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("$S templates list > /dev/full", 1),
        ("$S templates list >&-", 0),
        ("$S data write demo/visits <&-", 0),
        ("$S templates list --json | head -c 5; exit ${PIPESTATUS[0]}", 0),
        ("$S send sms --template x --to $'\\xff'", 2),
        ("PYTHONIOENCODING=ascii $S preview $SMS_TEMPLATE --value code=é✓", 0),
        ("PYTHONIOENCODING=ascii $S preview $SMS_TEMPLATE --value code=é✓ --json | python -m json.tool", 0),
        ("printf '\\xff' | $S login --stdin --json --url $SIGNALBOX_URL", 2),
    ],
)
def test_odd_streams_are_no_traceback(command, code):
    variables = {
        **os.environ,
        "S": f"{sys.executable} -m signalbox",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }

    done = subprocess.run(["/bin/bash", "-c", command], env=variables, capture_output=True, timeout=30)

    assert (done.returncode, b"Traceback" in done.stderr, b"not as expected" in done.stderr) == (code, False, False)


def test_a_killed_export_leaves_no_file(tmp_path):
    with serve(10.0) as (url, script):
        command = [sys.executable, "-m", "signalbox", "--url", url, "data", "export", "demo/visits", "all.csv"]
        exporting = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 20
        while not script.asked and time.monotonic() < deadline:
            time.sleep(0.05)
        assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
        exporting.terminate()
        exporting.communicate(timeout=20)

    assert (exporting.returncode, list(tmp_path.iterdir())) == (143, [])


def test_an_interrupted_import_states_what_is_stored(visits, tmp_path):
    pipe = tmp_path / "endless.ndjson"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "signalbox", "data", "import", "demo/visits", str(pipe)]
    importing = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with pipe.open("w") as lines:
        for number in range(1500):
            lines.write(f'{{"_timestamp": "2026-11-20T09:00:00Z", "_id": "i-{number}"}}\n')
        lines.flush()
        deadline = time.monotonic() + 20
        while len(visits.query(limit=1000)) < 1000 and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(0.2)  # the answer arrives
        importing.send_signal(signal.SIGINT)
        out, err = importing.communicate(timeout=20)

    assert (importing.returncode, "Traceback" in err) == (130, False)
    assert out.startswith("Interrupted. At least 1000 records are stored. Run the command again: ")
