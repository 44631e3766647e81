"""The number and age of due items in each queue, for metrics and `manage.py doctor`."""

from collections.abc import Iterator

from config.areas import Backlog, Finding
from notifications.delivery import queue_states

OLD_SECONDS = 300  # thirty sweeps


def backlogs() -> Iterator[Backlog]:
    """Return the due items of each queue. Items are due from the time of their next attempt, unless they are paused."""
    for state in queue_states.of_all():
        yield Backlog(queue=state.queue, number=state.waiting + state.running, oldest_seconds=state.oldest_seconds)


def oldest_waiting() -> Finding:
    """Report the queues with due items. Old items may mean that a worker hangs."""
    waiting = [backlog for backlog in backlogs() if backlog.number]
    if not waiting:
        return Finding(name="backlog", seen="nothing is due")
    seen = ", ".join(f"{backlog.queue} {backlog.number}, oldest {backlog.oldest_seconds:.0f} s" for backlog in waiting)
    is_old = any(backlog.oldest_seconds > OLD_SECONDS for backlog in waiting)
    fix = "Check the worker's log and the providers, or start another worker." if is_old else ""
    return Finding(name="backlog", seen=seen, fix=fix)
