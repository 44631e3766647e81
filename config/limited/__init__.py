"""Run a function in a child process with limits on memory, processor time and time.

Readers of files and emails of other people run here, so that one input cannot end the process of other callers or
make them wait. Source: docs/reference/security.md §14.
"""

from config.limited.limits import MIB, AllBusy, CallEnded, LimitExceeded, ProcessLimits, TookTooLong, TooLarge
from config.limited.processes import Processes, run

__all__ = [
    "MIB",
    "AllBusy",
    "CallEnded",
    "LimitExceeded",
    "ProcessLimits",
    "Processes",
    "TooLarge",
    "TookTooLong",
    "run",
]
