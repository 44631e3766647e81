"""GET /metrics for Prometheus: what the processes have counted, and what the tables say now.

Source: Developer experience §13.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from kombu.exceptions import KombuError
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from config import callers, deep_check, figures, publishing, unreadable, views
from config.console.clean_up import outcomes
from config.figures import BUCKETS, COUNTED, Count
from config.management import parts

Rows = dict[str, list[tuple[list[str], float]]]  # by name: values of the labels, and the figure


@csrf_exempt
def metrics(request: HttpRequest) -> HttpResponseBase:
    """Answer the figures of all processes to who holds METRICS_TOKEN, or, where there is none, sits at this machine."""
    refused = views.refuse_method(request)
    if refused:
        return refused
    may_look = callers.holds_token(request, settings.METRICS_TOKEN)
    if not may_look and (settings.METRICS_TOKEN or not callers.is_at_this_machine(request)):
        return deep_check.refuse(request)
    figures.flush()
    try:
        text = generate_latest(_Now())
    except DatabaseError:
        body = {"status": "error", "message": "The database does not answer."}
        return JsonResponse(body, status=503, headers={"Cache-Control": "no-store"})
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"})


class _Now:
    """Stands for a registry of one scrape: nothing of it is kept in this process."""

    def collect(self) -> Iterator[Metric]:
        rows = _rows()
        for figure in COUNTED:
            yield _counter(figure, rows) if isinstance(figure, Count) else _histogram(figure, rows)
        yield from _waiting()
        yield from _unreadable()
        yield from _clean_up()


def _rows() -> Rows:
    rows: Rows = {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, labels, value FROM figure ORDER BY name, labels")
        for name, labels, value in cursor.fetchall():
            rows.setdefault(name, []).append((json.loads(labels), value))
    return rows


def _counter(figure: Count, rows: Rows) -> Metric:
    family = CounterMetricFamily(figure.name, figure.help, labels=figure.labels)
    for values, number in rows.get(figure.name, []):
        family.add_metric(values, number)
    return family


def _histogram(figure: figures.Seconds, rows: Rows) -> Metric:
    """Add up from the least bucket on, as the format wants it."""
    family = HistogramMetricFamily(figure.name, figure.help, labels=figure.labels)
    counted: dict[tuple[str, ...], dict[float, float]] = {}
    for (*values, bucket), number in rows.get(figure.name, []):
        counted.setdefault(tuple(values), {})[float(bucket)] = number
    sums = {tuple(values): number for values, number in rows.get(f"{figure.name}_sum", [])}
    for labels, numbers in counted.items():
        total, buckets = 0.0, []
        for limit in BUCKETS:
            total += numbers.get(limit, 0)
            buckets.append(("+Inf" if limit == BUCKETS[-1] else str(limit), total))
        family.add_metric(labels, buckets, sums.get(labels, 0.0))
    return family


def _waiting() -> Iterable[Metric]:
    number = GaugeMetricFamily("signalbox_waiting", "What is due and has not been done, by queue", labels=["queue"])
    age = GaugeMetricFamily("signalbox_oldest_waiting_seconds", "How long the oldest has been due", labels=["queue"])
    for part in parts.registered():
        for backlog in part.backlogs():
            number.add_metric([backlog.queue], backlog.number)
            age.add_metric([backlog.queue], backlog.oldest_seconds)
    return [number, age]


def _unreadable() -> Iterator[Metric]:
    with suppress(KombuError, OSError):  # a broker that is away has its own alarm
        number = publishing.waiting(unreadable.QUEUE)[unreadable.QUEUE]
        help = "Messages of the queue that could not be read and lie aside"
        yield GaugeMetricFamily("signalbox_unreadable_messages", help, value=number)


def _clean_up() -> Iterable[Metric]:
    removed = CounterMetricFamily("signalbox_removed", "Rows and files removed, by rule of clean-up", labels=["rule"])
    success = GaugeMetricFamily(
        "signalbox_clean_up_last_success_timestamp_seconds", "When a run last came to its end", labels=["rule"]
    )
    for outcome in outcomes.of_all_rules():
        removed.add_metric([outcome.rule], outcome.removed)
        if outcome.last_success:
            success.add_metric([outcome.rule], outcome.last_success.timestamp())
    return [removed, success]
