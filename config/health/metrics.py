"""GET /metrics for Prometheus: the counts of all processes, and the current state of the tables.

Source: docs/reference/running.md §13.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from kombu.exceptions import KombuError
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from config import areas
from config.health import deep_check, installation
from config.health.views import health_page, respond
from config.jobs import outcomes, state
from config.metrics import registry
from config.metrics.registry import BUCKETS, METRICS, Counter
from config.queue import publishing, unreadable
from config.queue.periodic import PeriodicJob
from config.rest.request import has_bearer_token
from config.web.ip_addresses import is_local

Rows = dict[str, list[tuple[list[str], float]]]  # by name: label values and the number


@health_page
def metrics(request: HttpRequest) -> HttpResponseBase:
    """Return the metrics of all processes to holders of METRICS_TOKEN, or to this machine if it is unset."""
    may_look = has_bearer_token(request, settings.METRICS_TOKEN)
    if not may_look and (settings.METRICS_TOKEN or not is_local(request)):
        return deep_check.error_response(request)
    registry.flush()
    try:
        text = generate_latest(_Now())
    except DatabaseError:
        return respond(503, "The database does not answer.")
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"})


class _Now:
    """A registry for one scrape. This process keeps nothing of it."""

    def collect(self) -> Iterator[Metric]:
        rows = _rows()
        for metric in METRICS:
            if isinstance(metric, Counter):
                yield _counter(metric, metric.name, rows)
                if metric.former_name:
                    yield _counter(metric, metric.former_name, rows)
            else:
                yield _histogram(metric, rows)
        yield from _waiting()
        yield from _paused()
        yield from _unreadable()
        yield from _clean_up()
        yield from _jobs()
        yield from installation.gauges()


def _rows() -> Rows:
    rows: Rows = {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, labels, value FROM metric_value ORDER BY name, labels")
        for name, labels, value in cursor.fetchall():
            rows.setdefault(name, []).append((json.loads(labels), value))
    return rows


def _counter(metric: Counter, shown_name: str, rows: Rows) -> Metric:
    family = CounterMetricFamily(shown_name, metric.help, labels=metric.labels)
    counted = dict.fromkeys(metric.zeros, 0.0)
    counted |= {tuple(values): number for values, number in rows.get(metric.name, [])}
    for values, number in counted.items():
        family.add_metric(values, number)
    return family


def _histogram(metric: registry.Histogram, rows: Rows) -> Metric:
    """Return cumulative buckets, as the Prometheus format requires."""
    family = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
    counted: dict[tuple[str, ...], dict[float, float]] = {}
    for (*values, bucket), number in rows.get(metric.name, []):
        counted.setdefault(tuple(values), {})[float(bucket)] = number
    sums = {tuple(values): number for values, number in rows.get(f"{metric.name}_sum", [])}
    for labels, numbers in counted.items():
        total, buckets = 0.0, []
        for limit in BUCKETS:
            total += numbers.get(limit, 0)
            buckets.append(("+Inf" if limit == BUCKETS[-1] else str(limit), total))
        family.add_metric(labels, buckets, sums.get(labels, 0.0))
    return family


def _waiting() -> Iterable[Metric]:
    number = GaugeMetricFamily("signalbox_waiting", "Items that are due and not done, by queue", labels=["queue"])
    age = GaugeMetricFamily("signalbox_oldest_waiting_seconds", "Age of the oldest due item", labels=["queue"])
    for part in areas.commands():
        for backlog in part.backlogs():
            number.add_metric([backlog.queue], backlog.number)
            age.add_metric([backlog.queue], backlog.oldest_seconds)
    return [number, age]


def _paused() -> Iterator[Metric]:
    help = "1 while operators have paused sending through this channel or provider"
    paused = GaugeMetricFamily("signalbox_sending_paused", help, labels=["kind", "name"])
    for part in areas.commands():
        for one in part.pausables():
            paused.add_metric([one.kind, one.name], int(one.is_paused))
    yield paused


def _unreadable() -> Iterator[Metric]:
    with suppress(KombuError, OSError):  # an unavailable broker has its own health check
        number = publishing.waiting(unreadable.QUEUE)[unreadable.QUEUE]
        help = "Queue messages that could not be read and were moved aside"
        yield GaugeMetricFamily("signalbox_unreadable_messages", help, value=number)


def _clean_up() -> Iterable[Metric]:
    removed = CounterMetricFamily("signalbox_removed", "Rows and files removed, by clean-up rule", labels=["rule"])
    success = GaugeMetricFamily(
        "signalbox_clean_up_last_success_timestamp_seconds",
        "Time of the last successful run; before the first one, the time since which it is expected",
        labels=["rule"],
    )
    for outcome in outcomes.of_all_rules():
        removed.add_metric([outcome.rule], outcome.removed)
        since = outcome.last_success or outcome.expected_since
        if since:
            success.add_metric([outcome.rule], since.timestamp())
    return [removed, success]


def _jobs() -> Iterable[Metric]:
    help = "1 while a scheduled task or clean-up rule fails or is late"
    failing = GaugeMetricFamily("signalbox_periodic_job_failing", help, labels=["name"])
    unwell = {one.name for one in state.unwell()}
    for name in PeriodicJob.objects.order_by("name").values_list("name", flat=True):
        failing.add_metric([name], int(name in unwell))
    return [failing]
