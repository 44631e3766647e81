"""The limits of one call, and the errors for a call that needs more."""

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLimits:
    """What one call may use.

    memory_bytes: of address space, the interpreter and its modules included (about 60 MiB)
    cpu_seconds: of processor time
    seconds: until the answer, the wait for a free child process included unless it has its own limit
    wait_seconds: for a free child process; None: as long as `seconds`
    """

    memory_bytes: int = 400 * MIB
    cpu_seconds: int
    seconds: float
    wait_seconds: float | None = None


class LimitExceeded(Exception):
    """The call needs more than its limits."""


class CallEnded(Exception):
    """The caller no longer wants the result. The child process was ended."""


class TooLarge(LimitExceeded):
    """The call needs more memory than it may use, or the system has ended its process."""


class TookTooLong(LimitExceeded):
    """The call needs more time than it may use, or no child process was free in time."""


class AllBusy(TookTooLong):
    """No child process was free in time, or its time passed while other work had the processors.

    The same call may succeed later.
    """
