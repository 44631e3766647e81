"""A killed import goes on where it was: the data set then has exactly the rows of the file, none twice."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from config import audit
from config.jobs import runner
from datasets.imports import calling, conversion, job, starting
from datasets.imports.conversion import Conversion, FollowingPace
from datasets.models import DataImport, DataSet, Record
from tests.datasets.imports.calling import work
from tests.datasets.making import make_data_set
from tests.servers import ROOT, wait_until

pytestmark = pytest.mark.django_db(transaction=True)
ROWS = 40_000
WORK = """
import django
django.setup()
from datasets.imports import job
from datasets.models import DataImport
print("working", flush=True)
run = DataImport.objects.get()
while job.work(run):
    run.refresh_from_db()
"""


@pytest.fixture
def run(tmp_path) -> DataImport:
    path = tmp_path / "a.csv"
    path.write_text("_timestamp,n\n" + "".join(f"2024-01-01T{n % 24:02}:00,{n}\n" for n in range(ROWS)))
    return starting.start(make_data_set(), path, {}, by=audit.COMMAND)


def start_worker(folder) -> subprocess.Popen:
    name = connection.settings_dict["NAME"]
    url = (
        f"sqlite:///{name}"
        if connection.vendor == "sqlite"
        else os.environ["DATABASE_URL"].rpartition("/")[0] + f"/{name}"
    )
    variables = {"DATABASE_URL": url, "IMPORT_WORK_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    return subprocess.Popen(
        [sys.executable, "-c", WORK], cwd=ROOT, env={**os.environ, **variables}, stdout=subprocess.DEVNULL
    )


def kill_at(number: int, folder) -> int:
    """Kill a worker once it has stored this number of rows, and return how many are stored."""
    worker = start_worker(folder)
    ends_at = time.monotonic() + 120
    while DataImport.objects.get().stored < number and worker.poll() is None and time.monotonic() < ends_at:
        time.sleep(0.01)
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    return DataImport.objects.get().stored


def test_an_import_that_is_killed_twice_has_every_row_once(run, settings):
    if connection.vendor == "sqlite" and "memory" in str(connection.settings_dict["NAME"]):
        pytest.skip("another process cannot open a database in memory")
    for number in (1, ROWS // 3):
        stored = kill_at(number, settings.IMPORT_WORK_DIR)
        assert number <= stored < ROWS
        assert Record.objects.count() == stored
        DataImport.objects.update(seen_at=timezone.now() - timedelta(seconds=121))  # the lease is over

    done = work(run.pk)

    assert (done.state, done.stored, done.new, done.replaced) == ("finished", ROWS, ROWS, 0)
    assert Record.objects.count() == DataSet.objects.get().record_count == ROWS


def store_some(run: DataImport) -> DataImport:
    """Read the file, and store one batch while it is converted."""
    job._read(run)
    run.refresh_from_db()
    calling.fetch(run)
    with Conversion(run) as following:
        own = job.ImportJob(name="import", new_pace=lambda: FollowingPace(following), following=following)
        while not run.stored:
            assert runner.work(run, own, seconds=0)
    run.refresh_from_db()
    return run


def test_an_import_goes_on_from_another_machine(run, settings, tmp_path):
    assert 0 < store_some(run).stored < ROWS
    settings.IMPORT_WORK_DIR = tmp_path / "another machine"

    done = work(run.pk)

    assert (done.state, done.new, done.replaced) == ("finished", ROWS, 0)
    assert Record.objects.count() == ROWS


def test_a_paused_import_stores_nothing_and_goes_on_with_every_row_once(run):
    run = store_some(run)
    starting.pause(run)
    stored = run.stored
    assert (work(run.pk).stored, Record.objects.count()) == (stored, stored)

    starting.resume(run)
    done = work(run.pk)
    assert (done.state, done.stored, done.new) == ("finished", ROWS, ROWS)
    assert Record.objects.count() == DataSet.objects.get().record_count == ROWS


def test_a_worker_that_has_not_seen_a_pause_stores_nothing(run):
    run = store_some(run)
    stored = run.stored
    starting.pause(DataImport.objects.get())

    assert job.work(run) is False
    assert Record.objects.count() == DataImport.objects.get().stored == stored


def send(number: signal.Signals, children: list[multiprocessing.process.BaseProcess]) -> None:
    for one in children:
        os.kill(one.pid, number)


@pytest.mark.parametrize("change", [starting.cancel, starting.pause])
def test_a_cancelled_or_paused_import_ends_its_child_process(change, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("_timestamp,n\n" + "".join(f"2024-01-01T{n % 24:02}:00,{n}\n" for n in range(5 * ROWS)))
    run = starting.start(make_data_set(), path, {}, by=audit.COMMAND)
    job._read(run)
    run.refresh_from_db()
    calling.fetch(run)
    lines = conversion.lines_of(run)

    with Conversion(run) as following:
        wait_until(lambda: lines.with_name(f"{lines.name}.new").exists())
        children = multiprocessing.active_children()
        send(signal.SIGSTOP, children)  # so that it does not finish meanwhile
        change(DataImport.objects.get(pk=run.pk))
        following_job = job.ImportJob(name="import", new_pace=lambda: FollowingPace(following), following=following)
        assert not runner.work(run, following_job)
    send(signal.SIGCONT, multiprocessing.active_children())  # children of other tests

    assert not lines.exists()
    assert len(multiprocessing.active_children()) == len(children) - 1
    run.refresh_from_db()
    assert (run.state, run.stored, run.is_converted) in {("cancelled", 0, False), ("paused", 0, False)}


def test_a_second_worker_does_not_disturb_a_conversion(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("_timestamp,n\n" + "".join(f"2024-01-01T{n % 24:02}:00,{n}\n" for n in range(5 * ROWS)))
    run = starting.start(make_data_set(), path, {}, by=audit.COMMAND)
    job._read(run)
    run.refresh_from_db()
    lines = conversion.lines_of(run)

    def convert() -> None:
        try:
            work(run.pk)
        finally:
            connection.close()

    first = threading.Thread(target=convert)
    first.start()
    wait_until(lambda: lines.with_name(f"{lines.name}.new").exists() or not first.is_alive())
    is_left = job.work(DataImport.objects.get())
    first.join()

    done = DataImport.objects.get()
    assert (is_left, done.state, done.stored) == (False, "finished", 5 * ROWS)


def test_an_import_whose_converted_rows_are_not_all_there_is_not_finished(run):
    job._read(run)
    run.refresh_from_db()
    calling.fetch(run)
    with Conversion(run) as following:
        while not following.is_over:
            following.wait_for_rows()
    lines = conversion.lines_of(run)
    lines.write_bytes(b"".join(lines.read_bytes().splitlines(keepends=True)[: ROWS // 2]))

    done = work(run.pk)

    assert (done.state, done.stored) == ("failed", ROWS // 2)
    assert done.error == "Not all rows of the file were read. Import it again."


def test_an_import_that_fails_on_its_way_keeps_its_reason(run):
    job._read(run)
    run.refresh_from_db()
    calling.fetch(run)
    with Conversion(run) as following:
        while not following.is_over:
            following.wait_for_rows()
    lines = conversion.lines_of(run)
    whole = lines.read_bytes().splitlines(keepends=True)
    lines.write_bytes(b"".join([*whole[: ROWS // 2], b"damaged\n", *whole[ROWS // 2 :]]))

    done = work(run.pk)

    assert done.state == "failed"
    assert "ValueError" in done.error
