"""Carry out named checks: a send stops at the first error, a dry run goes on with every check that it can."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from notifications.errors import NotificationError

Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True)
class Check(Generic[Subject]):
    """One check of a message. run: raises NotificationError

    needs: the earlier checks whose results this check uses
    reads: the properties of the request that it uses
    """

    name: str
    run: Callable[[Subject], None]
    needs: Sequence[str] = ()
    reads: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a check. ok: None if an earlier error prevents the check"""

    check: str
    ok: bool | None
    errors: Sequence[NotificationError] = ()


def run(checks: Sequence[Check[Subject]], subject: Subject) -> None:
    """Run the checks in their order. Raises the first error."""
    for check in checks:
        check.run(subject)


def run_all(checks: Sequence[Check[Subject]], subject: Subject, *, invalid: Collection[str] = ()) -> list[Result]:
    """Run every check that has what it uses. invalid: the properties of the request that have no valid value"""
    results: dict[str, Result] = {}
    for check in checks:
        can_run = all(results[name].ok for name in check.needs) and not any(name in invalid for name in check.reads)
        result = attempt(check.name, partial(check.run, subject)) if can_run else Result(check=check.name, ok=None)
        results[check.name] = result
    return list(results.values())


def attempt(name: str, run_check: Callable[[], None]) -> Result:
    try:
        run_check()
    except NotificationError as error:
        return Result(check=name, ok=False, errors=error.errors)
    return Result(check=name, ok=True)
