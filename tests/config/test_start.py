"""Budgets of a start, as counts, because times depend on the machine."""

import json
import os
import subprocess
import sys

from django.conf import settings

from config.management.commands.worker import MOST_THREADS, processes_for
from config.queue.worker import groups_of_all
from tests.servers import ROOT

MOST_MODULES = 2_800  # 2,775 on Python 3.11
HEAVY = {"anymail", "authlib", "boto3", "botocore", "duckdb", "openpyxl", "sentry_sdk", "smpplib", "webauthn"}

IMPORTED = """
import json, sys
from importlib import import_module

import django
django.setup()
from config.management.commands import up
up.import_all()
print(json.dumps(sorted(sys.modules)))
"""


def test_a_start_imports_few_modules_and_none_that_only_some_installations_use():
    variables = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run([sys.executable, "-c", IMPORTED], cwd=ROOT, env=variables, capture_output=True, text=True)
    modules = json.loads(done.stdout)

    assert len(modules) <= MOST_MODULES
    assert {module.partition(".")[0] for module in modules} & HEAVY == set()


def test_the_worker_of_make_run_is_one_process_with_threads_for_every_queue():
    groups = groups_of_all()

    assert {queue for group in groups for queue in group.queues} == set(settings.WORKER_QUEUES)
    assert sum(group.threads for group in groups) <= 10


def test_a_worker_has_three_processes_until_a_channel_has_more_threads_than_a_process_may_have():
    assert list(processes_for("", 2)) == list(processes_for("", MOST_THREADS)) == ["sending", "bulk", "upkeep"]
    assert list(processes_for("", MOST_THREADS + 1)) == ["sending", "bulk", "upkeep", "sending-2"]


def test_the_threads_are_divided_over_the_processes():
    threads = [group.threads for groups in processes_for("send-email", 10).values() for group in groups]
    of_all = [group for groups in processes_for("", 10).values() for group in groups if group.queues == ("send-email",)]

    assert threads == [4, 3, 3]
    assert [group.threads for group in of_all] == [4, 3, 3]
    assert max(threads) <= MOST_THREADS
