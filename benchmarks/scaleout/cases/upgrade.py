"""The upgrade from a previous version under traffic."""

import subprocess
import time
from pathlib import Path

from benchmarks.scaleout.application import ROLES
from benchmarks.scaleout.proxies import SETTLE_SECONDS
from benchmarks.scaleout.stand import Stand
from benchmarks.scaleout.verdict import Verdict
from tests.servers import ROOT

CASE = "S9 upgrade with migrations under traffic"


def latest_tag() -> str | None:
    done = subprocess.run(["git", "describe", "--tags", "--abbrev=0"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or None


def upgraded(stand: Stand) -> Verdict:
    """S9: the previous version runs on an empty database. Then the steps of docs/operations.md, Upgrade, are taken."""
    revision = stand.previous or latest_tag()
    if revision is None:
        return Verdict(CASE, broken=["skipped: no tag, and no --from"])
    verdict = Verdict(CASE, seen={"from": revision})
    application = stand.application
    application.stop_all()
    stand.cluster.recreate_database()
    application.code = _code_of(revision, stand.folder / "previous")
    stand.start_application()
    seconds: list[float] = []

    def events() -> None:
        time.sleep(5)
        application.code = ROOT
        began = time.monotonic()
        application.migrate()
        seconds.append(time.monotonic() - began)
        for role in ROLES:
            for machine in stand.apps:
                application.restart(role, machine)
                time.sleep(SETTLE_SECONDS)
        time.sleep(5)

    seen = stand.observe(events)
    verdict.require_always(seen)
    verdict.require_no_refusal(seen)
    verdict.seen["migrate s"] = round(seconds[0], 1)
    return verdict


def _code_of(revision: str, folder: Path) -> Path:
    """Write the files of a revision to a folder."""
    folder.mkdir()
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
    return folder
