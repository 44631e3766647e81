"""An S3 server in a separate process on loopback, which tests can freeze, kill and start again."""

import contextlib
import os
import signal
import sys
from pathlib import Path

import requests

from tests.servers import Program, accepts, free_port

BUCKET = "signalbox-files"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing", "AWS_DEFAULT_REGION": "eu-west-2"}
_SERVE = "import sys; from moto.server import main; main(sys.argv[1:])"


class S3Store:
    """`requests_seen` and the raw objects are read over HTTP, as an attacker with access to the bucket would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        self.program = Program(
            *(sys.executable, "-c", _SERVE, "-H", "127.0.0.1", "-p", str(self.port)),
            log=self.folder / "s3.log",
            environment={**os.environ, **CREDENTIALS},
        )
        self.program.wait_until(lambda: accepts(self.port))
        made = requests.put(f"{self.url}/{BUCKET}", data=_LOCATION, timeout=60)
        assert made.status_code == 200, made.text

    def options(self) -> dict[str, object]:
        return {
            "bucket_name": BUCKET,
            "endpoint_url": self.url,
            "region_name": "eu-west-2",
            "addressing_style": "path",
            "access_key": CREDENTIALS["AWS_ACCESS_KEY_ID"],
            "secret_key": CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        }

    def variables(self) -> dict[str, str]:
        """Return the settings of a Signalbox that uses this store."""
        return {
            **CREDENTIALS,
            "FILES_STORAGE": "s3",
            "FILES_S3_BUCKET": BUCKET,
            "FILES_S3_ENDPOINT": self.url,
            "FILES_S3_REGION": "eu-west-2",
            "FILES_S3_ADDRESSING": "path",
        }

    def freeze(self) -> None:
        os.kill(self.program.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.program.pid, signal.SIGCONT)

    def forget(self) -> None:
        """Delete all objects and create the bucket again."""
        requests.post(f"{self.url}/moto-api/reset", timeout=60).raise_for_status()
        requests.put(f"{self.url}/{BUCKET}", data=_LOCATION, timeout=60).raise_for_status()

    def stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.thaw()
        self.program.stop()


_LOCATION = (
    '<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
    "<LocationConstraint>eu-west-2</LocationConstraint></CreateBucketConfiguration>"
)
