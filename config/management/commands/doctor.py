"""Run all health checks and print a fix for each that fails."""

import json
import logging
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from config.health import health_checks


class Command(BaseCommand):
    help = (
        "Run the health checks: database, migrations, queue, worker, clock, keys, time, disk and those of each area. "
        "Each failed check (✗) has a fix. Example: manage.py doctor. Exit codes: 0 on success, 1 if a check fails."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        logging.disable(logging.WARNING)  # the pool logs each attempt to connect, but one finding is enough
        findings = health_checks.examine()
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2))
        else:
            for finding in findings:
                mark = "✗" if finding.fix else "✓"
                self.stdout.write(
                    f"{mark} {finding.name:<12} {finding.seen}{f'. {finding.fix}' if finding.fix else ''}"
                )
        if any(finding.fix for finding in findings):
            sys.exit(1)
