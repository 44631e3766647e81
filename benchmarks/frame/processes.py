"""Read CPU time and memory of processes from the kernel. CPU time is also right on a busy machine."""

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_USER, _SYSTEM, _USER_OF_ENDED, _SYSTEM_OF_ENDED = range(11, 15)  # after the name; source: proc(5), /proc/pid/stat


def children(pid: int) -> list[int]:
    """Return the children of a process, youngest last."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sorted(int(child) for task in tasks for child in (task / "children").read_text().split())


def family(pid: int) -> list[int]:
    """Return a process and its descendants."""
    return [pid, *(member for child in children(pid) for member in family(child))]


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process and its descendants, including ended ones. The resolution is 10 ms."""
    ticks = 0
    for member in family(pid):
        words = Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(int(words[place]) for place in (_USER, _SYSTEM, _USER_OF_ENDED, _SYSTEM_OF_ENDED))
    return ticks / _TICKS


def resident_mib(pid: int) -> float:
    """Return the resident memory of one process, including shared pages."""
    return _status(pid, "VmRSS") / 1024


def highest_mib(pid: int) -> float:
    """Return the peak of the process's resident memory."""
    return _status(pid, "VmHWM") / 1024


def own_mib(pid: int) -> float:
    """Return the proportional set size: a page of n processes counts as 1/n in each."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _status(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
