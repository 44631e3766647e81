"""Run the clean-up and catch-up rules now, or show what they would remove."""

import json
import sys
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

import structlog
from django.core.management.base import BaseCommand, CommandError

from config import areas
from config.jobs import retention, rules
from config.jobs.models import Trigger
from config.jobs.rules import Due, RetentionRule


class Command(BaseCommand):
    help = (
        "Run one clean-up or catch-up rule, or all, and print how many rows each one handled. It is safe while the "
        "clock runs. Example: manage.py sweep --preview. "
        "Exit codes: 0 on success, 1 if a rule fails, 2 for an unknown rule."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = [*_catch_ups(), *(rule.name for rule in rules.registered())]
        parser.add_argument("rule", nargs="?", choices=sorted(names), help="one rule; default: all rules")
        parser.add_argument("--preview", action="store_true", help="show what would be removed, and remove nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON document")
        parser.add_argument(
            "--older-than",
            type=float,
            metavar="HOURS",
            help="for files: minimum age of a file without a row; use 0 only while no message is being sent",
        )

    def handle(self, *args: Any, rule: str | None, preview: bool, older_than: float | None, **options: Any) -> None:
        if options["json"]:  # stdout gets the document only, so logs go to stderr
            structlog.configure(logger_factory=structlog.WriteLoggerFactory(sys.stderr))
        chosen = [each for each in rules.registered() if rule in {None, each.name}]
        catching_up = {} if preview else {name: run for name, run in _catch_ups().items() if rule in {None, name}}
        age = None if older_than is None else timedelta(hours=older_than)
        if preview:
            results = [_previewed(each) for each in chosen]
        else:
            results = [{"rule": name, "removed": run(), "error": ""} for name, run in catching_up.items()]
            results += [_run(each, age) for each in chosen]
        if options["json"]:
            self.stdout.write(json.dumps({"rules": results}, indent=2, default=str))
        else:
            for result in results:
                self._print(result)
        failed = [f"{result['rule']}: {result['error']}" for result in results if result.get("error")]
        if failed:
            raise CommandError("\n".join(failed))

    def _print(self, result: dict[str, Any]) -> None:
        if "due" not in result:
            self.stdout.write(f"{result['rule']}: {result['removed']}")
            return
        self.stdout.write(f"{result['rule']}: {result['number']} would be removed")
        for due in result["due"]:
            since = f", oldest {due['oldest']:%Y-%m-%d %H:%M} UTC" if due["oldest"] else ""
            self.stdout.write(f"  {due['label']}: {due['number']}{since}")


def _previewed(rule: RetentionRule) -> dict[str, Any]:
    found: list[Due] = list(rule.preview())
    due = [{"label": one.label, "number": one.number, "oldest": one.oldest} for one in found]
    return {"rule": rule.name, "keeps": rule.keeps(), "number": sum(one.number for one in found), "due": due}


def _run(rule: RetentionRule, age: timedelta | None) -> dict[str, Any]:
    row = retention.run(rule, Trigger.COMMAND, older_than=age)
    error = row.error or ("" if row.finished_at else "a run is already in progress; its page shows the progress")
    return {"rule": rule.name, "removed": row.removed, "error": error}


def _catch_ups() -> dict[str, Any]:
    return {name: run for part in areas.commands() for name, run in part.sweeps.items()}
