"""Alerts, dashboards and runbooks agree with each other and with /metrics. Source: docs/operations.md, Monitoring."""

import json
import re
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
import yaml
from django.db import connection
from django.test import Client

from config.metrics import registry
from config.metrics.registry import METRICS, Counter
from config.queue.periodic import PeriodicJob
from notifications.models import Channel, KeyType
from notifications.models.limit import LimitKind
from tests.servers import ROOT

DEPLOY = ROOT / "deploy"
NAME = re.compile(r"\bsignalbox_[a-z_]+")
RULES = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text())["groups"][0]["rules"]
DASHBOARDS = sorted((DEPLOY / "grafana").glob("*.json"))
OF_OTHERS = {  # the scripts of the backups write them
    "signalbox_backup_last_success_timestamp_seconds",
    "signalbox_backup_expected_since_timestamp_seconds",
}
WITH_POSTGRESQL = {"signalbox_database_connections", "signalbox_database_connections_max"}
WITH_A_REPLICA = {"signalbox_replica_lag_seconds"}
WITH_A_CLOCK = {"signalbox_clock_last_tick_timestamp_seconds", "signalbox_clean_up_last_success_timestamp_seconds"}


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["promtool", *map(str, arguments)], cwd=DEPLOY / "prometheus", capture_output=True, text=True, check=False
    )


def panels() -> Iterator[tuple[str, str]]:
    for path in DASHBOARDS:
        for panel in json.loads(path.read_text())["panels"]:
            yield f"{path.stem}: {panel['title']}", panel["targets"][0]["expr"]


def scraped() -> str:
    return Client(SERVER_NAME="127.0.0.1").get("/metrics").content.decode()


def exposed() -> set[str]:
    """Return the names in /metrics. Counters and histograms appear with their first value."""
    text = scraped()
    names = set(re.findall(r"^# TYPE (\S+) ", text, re.MULTILINE))
    for metric in METRICS:
        parts = ("_total",) if isinstance(metric, Counter) else ("_count", "_bucket", "_sum")
        names |= {f"{metric.name}{part}" for part in parts}
    return names | {"signalbox_removed_total"}


def test_the_rules_are_valid() -> None:
    checked = promtool("check", "rules", "alerts.yml")
    configured = promtool("check", "config", "--syntax-only", "prometheus.yml")

    assert checked.returncode == 0, checked.stderr
    assert configured.returncode == 0, configured.stderr


def test_each_alert_has_a_case_in_which_it_fires_and_one_in_which_it_is_quiet() -> None:
    files = ("alerts_test.yml", "alerts_of_days_test.yml")
    tested = promtool("test", "rules", *files)
    texts = [(DEPLOY / "prometheus" / name).read_text() for name in files]
    cases = [case["name"] for text in texts for case in yaml.safe_load(text)["tests"]]

    assert tested.returncode == 0, tested.stderr + tested.stdout
    assert {f"{rule['alert']} {kind}" for rule in RULES for kind in ("fires", "is quiet")} <= set(cases)
    assert {case.partition(" ")[0] for case in cases} == {rule["alert"] for rule in RULES}


@pytest.mark.django_db
def test_the_metrics_of_alerts_and_dashboards_exist() -> None:
    registry.flush()
    used = {name for rule in RULES for name in NAME.findall(rule["expr"])}
    used |= {name for _, query in panels() for name in NAME.findall(query)}
    known = exposed() | OF_OTHERS | WITH_A_REPLICA | WITH_A_CLOCK
    if connection.vendor != "postgresql":
        known |= WITH_POSTGRESQL

    assert used - known == set()
    assert {"signalbox_build_info", "signalbox_worker_processes"} <= exposed()


@pytest.mark.django_db
def test_a_rule_that_has_never_succeeded_has_a_time_for_its_alert() -> None:
    PeriodicJob.objects.create(name="clean-up audit", expected_since="2026-11-01T00:00:00Z")

    text = scraped()

    assert re.search(r'^signalbox_clean_up_last_success_timestamp_seconds\{rule="audit"\} 1\.7934912e\+09$', text, re.M)
    assert 'signalbox_periodic_job_failing{name="clean-up audit"} 1.0' in text


@pytest.mark.django_db
def test_counters_of_alerts_begin_at_zero_because_prometheus_sees_no_increase_in_their_first_value() -> None:
    text = scraped()
    increases = {name for rule in RULES if "increase(" in rule["expr"] for name in NAME.findall(rule["expr"])}

    for name in increases:
        assert re.search(rf"^{name}(\{{.*\}})? 0\.0$", text, re.MULTILINE), name
    registry.EXPIRED.add("sms", "live", number=7)
    registry.flush()
    assert 'signalbox_messages_expired_total{channel="sms",key_type="live"} 7.0' in scraped()


def test_the_labels_of_zeros_are_those_of_the_models() -> None:
    shown = {labels[:2] for labels in registry.MESSAGES.zeros}

    assert shown == set(product(Channel.values, KeyType.values)) == set(registry.EXPIRED.zeros)
    assert {(f"{kind} a day",) for kind in LimitKind.values} <= set(registry.LIMITED_REQUESTS.zeros)


@pytest.mark.django_db
def test_prometheus_accepts_the_format_and_the_names_of_the_metrics() -> None:
    registry.MESSAGES.add("sms", "normal", "delivered")
    registry.REQUESTS.observe("datasets", "/data", "200", seconds=0.02)
    registry.flush()

    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=scraped(), capture_output=True, text=True, check=False
    )

    assert checked.returncode == 0, checked.stderr


def test_prometheus_parses_each_query_of_the_dashboards(tmp_path: Path) -> None:
    rules = [
        {"record": f"panel:{number}", "expr": query.replace("$__rate_interval", "5m")}
        for number, (_, query) in enumerate(panels())
    ]
    (tmp_path / "queries.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))

    checked = promtool("check", "rules", tmp_path / "queries.yml")

    assert checked.returncode == 0, checked.stderr
    assert {path.stem for path in DASHBOARDS} == {"traffic", "providers", "queues", "database", "callbacks"}


def test_each_alert_has_a_runbook_and_each_runbook_an_alert() -> None:
    sections = re.findall(r"^## (\w+)", (ROOT / "docs/runbooks.md").read_text(), re.MULTILINE)

    assert sections == [rule["alert"] for rule in RULES]
    assert [rule["annotations"]["runbook"] for rule in RULES] == [
        f"docs/runbooks.md#{section.lower()}" for section in sections
    ]


def test_the_document_lists_each_metric_and_no_other(db: None) -> None:
    document = (ROOT / "docs/operations.md").read_text()
    rows = set(re.findall(r"^\| `(signalbox_[a-z_]+)` \|", document, re.MULTILINE))
    known = {re.sub("_(count|bucket|sum)$", "", name) for name in exposed() if name.startswith("signalbox_")}
    known |= WITH_POSTGRESQL | WITH_A_REPLICA | WITH_A_CLOCK

    assert {name for name in known if name not in document} == set()
    assert rows - known - OF_OTHERS == set()
