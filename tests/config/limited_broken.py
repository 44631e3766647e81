"""A module that a child process cannot import, as if a package were missing there."""

import multiprocessing

if multiprocessing.parent_process() is not None:
    raise ImportError("this module works in the parent only")


def work() -> None:
    """Do nothing."""
